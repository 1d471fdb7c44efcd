import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Bytes that are in files and in shared memory. Descriptors are passed if the broker passes them, otherwise the bytes
/// are sent. A destination sees no difference.
@Suite(.inProcess)
struct FileLoadTests {
    nonisolated private static let counts = [0, 1, 65_535, 65_536, 65_537, 1 << 20, (4 << 20) + 1]

    private func provider(_ register: (ItemProvider) -> Void) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = "../.report"
        register(provider)
        return provider
    }

    /// The period is a prime number, and so no multiple of a buffer size: a chunk at a wrong offset has wrong bytes.
    private static let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private static func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + period.count)
        while data.count < count { data += period }
        data.count = count
        return data
    }

    private func check(_ provider: ItemProvider, gives data: Data) async throws {
        let progress = LoadProgress()
        #expect(try await provider.loadData(for: .data, progress: progress) == data)
        #expect(progress.isFinished && progress.completedUnitCount == data.count)

        let chunks = try await provider.loadBytes(for: .data)
        var joined = Data()
        for try await chunk in chunks {
            #expect(!chunk.isEmpty && chunk.startIndex == 0)
            joined.append(chunk)
        }
        #expect(joined == data)

        let path = try await provider.withLoadedFile(for: .data) { loaded in
            #expect(loaded.value.lastPathComponent == "_.report")
            let contents = try Data(contentsOf: loaded.value)
            #expect(contents == data)
            return loaded.value.path
        }
        #expect(try System.status(at: path) == nil)
    }

    @Test("A file arrives as data, as chunks and as a file", arguments: counts, LoadPlace.brokers)
    func files(count: Int, place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        let data = Self.bytes(count)
        let url = URL(filePath: "\(directory.path)/file")
        try data.write(to: url)
        let provider = provider {
            $0.registerFileRepresentation(forTypeIdentifier: "public.data") { completion in
                completion(url, true, nil)
                return nil
            }
        }
        try await place.with(provider) { provider in
            try await check(provider, gives: data)
        }
        withExtendedLifetime(directory) {}
    }

    @Test("A handler may remove its file as soon as it has returned the URL", arguments: LoadPlace.brokers)
    func removed(place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let data = Self.bytes(3 << 20)
        let provider = provider {
            $0.registerFileRepresentation(for: .data) { completion in
                let url = URL(filePath: "\(path)/once")
                do {
                    try data.write(to: url)
                    completion(url, false, nil)
                    try FileManager.default.removeItem(at: url)
                } catch {
                    completion(nil, false, error)
                }
                return nil
            }
        }
        try await place.with(provider) { provider in
            try await check(provider, gives: data)
        }
        withExtendedLifetime(directory) {}
    }

    @Test("Shared memory arrives as data, as chunks and as a file", arguments: counts, LoadPlace.brokers)
    func memory(count: Int, place: LoadPlace) async throws {
        let data = Self.bytes(count)
        try await place.with(provider { $0.registerSharedMemory(for: .data) { try SharedMemory(data) } }) { provider in
            try await check(provider, gives: data)
        }
    }

    @Test("Unwritten capacity does not belong to shared memory, and a failed closure or allocation throws")
    func room() async throws {
        struct Own: Error {}
        let memory = try SharedMemory(capacity: 1 << 30) { output in
            for byte in UInt8(0)..<200 { output.append(byte) }
        }
        #expect(memory.byteCount == 200)
        #expect(throws: Own.self) { try SharedMemory(capacity: 10) { _ in throw Own() } }
        let error = #expect(throws: PasteboardError.self) { try SharedMemory(capacity: .max) { _ in } }
        #expect(error?.code == .noSpace)
        try await LoadPlace.there.with(provider { $0.registerSharedMemory(for: .data) { memory } }) { provider in
            try await check(provider, gives: Data(0..<200))
        }
    }

    private func isMapped(_ data: Data) throws -> Bool {
        let address = data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let maps = String(decoding: try System.contents(of: "/proc/self/maps", limit: 1 << 22), as: UTF8.self)
        return maps.split(separator: "\n").contains { line in
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            return line.contains("/memfd:") && range.count == 2 && range[0] <= address && address < range[1]
        }
    }

    @Test("The destination maps shared memory, and never a file", .tags(.f57))
    func mapped() async throws {
        let data = Self.bytes(1 << 20)
        let memory = try SharedMemory(data)
        #expect(memory.byteCount == data.count)
        try await LoadPlace.there.with(provider { $0.registerSharedMemory(for: .data) { memory } }) { provider in
            let loaded = try await provider.loadData(for: .data)
            let isMapped = try isMapped(loaded)
            #expect(loaded == data && isMapped)
        }
        // The file is not sealed: its creator can still write to it.
        let file = try MemoryFile()
        try file.append(data.span)
        let url = URL(filePath: "/proc/self/fd/\(file.descriptor.raw)")
        try await LoadPlace.there.with(provider { $0.registerFileRepresentation(for: .data) { url } }) { provider in
            let loaded = try await provider.loadData(for: .data)
            let isMapped = try isMapped(loaded)
            #expect(loaded == data && !isMapped)
        }
        withExtendedLifetime(file) {}
    }

    @Test("Loaded bytes belong to the destination, which may change them", arguments: LoadPlace.brokers)
    func changed(place: LoadPlace) async throws {
        let data = Self.bytes(1 << 20)
        try await place.with(provider { $0.registerSharedMemory(for: .data) { try SharedMemory(data) } }) { provider in
            var loaded = try await provider.loadData(for: .data)
            loaded[100_000] ^= 0xFF
            loaded.reverse()
            let again = try await provider.loadData(for: .data)
            #expect(again == data && loaded != data && loaded.count == data.count)
        }
    }

    @Test(
        "If the URL is not a regular file or folder, the load fails with an error that names what it is",
        arguments: LoadPlace.brokers
    )
    func notFiles(place: LoadPlace) async throws {
        for (url, word) in [
            (URL(filePath: "/nonexistent/x"), "No such file"), (URL(filePath: "/dev/zero"), "device"),
        ] {
            try await place.with(provider { $0.registerFileRepresentation(for: .data) { url } }) { provider in
                let error = await expectError(.sourceFailed) { try await provider.loadData(for: .data) }
                #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test("A file that becomes shorter while it is read ends the load as truncated", .tags(.f59))
    func shortened() async throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: "\(directory.path)/file")
        try Self.bytes(4 << 20).write(to: url)
        try await LoadPlace.there.with(provider { $0.registerFileRepresentation(for: .data) { url } }) { provider in
            var chunks = try await provider.loadBytes(for: .data).makeAsyncIterator()
            let first = try await chunks.next()
            #expect(first?.isEmpty == false)
            let file = try System.open(url.path, .writing)
            try System.truncate(file.raw, to: 1 << 20)
            await expectError(.sourceTruncated) { while try await chunks.next() != nil {} }
        }
        withExtendedLifetime(directory) {}
    }

    @Test("The errors of the body of a load reach the caller")
    func throwing() async throws {
        struct Own: Error {}
        let data = Self.bytes(1 << 20)
        try await LoadPlace.there.with(provider { $0.registerSharedMemory(for: .data) { try SharedMemory(data) } }) {
            provider in
            _ = await #expect(throws: Own.self) { try await provider.withLoadedFile(for: .data) { _ in throw Own() } }
        }
    }
}
