import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Representations whose handlers write the bytes one after the other as they are made.
@Suite(.inProcess)
struct ByteStreamTests {
    private static func piece(_ index: Int, count: Int = 10_000) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: index &* 37), count: count)
    }

    private static let pieces = 300
    private static let whole = (0..<pieces).reduce(into: Data()) { $0 += piece($1) }

    private func provider(byteCount: Int64? = nil) -> ItemProvider {
        let provider = ItemProvider()
        provider.registerByteStream(for: .data, byteCount: byteCount) { writer in
            for index in 0..<Self.pieces { try await writer.write(Self.piece(index)) }
        }
        return provider
    }

    @Test("Written bytes arrive as data, as chunks and as a file", arguments: LoadPlace.allCases)
    func forms(place: LoadPlace) async throws {
        try await place.with(provider()) { provider in
            let progress = LoadProgress()
            let loaded = try await provider.loadData(for: .data, progress: progress).value
            #expect(loaded == Self.whole)
            #expect(progress.isFinished && progress.completedUnitCount == Self.whole.count)

            let chunks = try await provider.loadBytes(for: .data).value
            var joined = Data()
            for try await chunk in chunks { joined += chunk }
            #expect(joined == Self.whole)

            try await provider.withLoadedFile(for: .data) { file in
                let contents = try Data(contentsOf: file.value)
                #expect(contents == Self.whole && !file.isInPlace)
            }
        }
    }

    @Test("The announced number of bytes is known before the bytes arrive", arguments: LoadPlace.allCases)
    func announced(place: LoadPlace) async throws {
        try await place.with(provider(byteCount: Int64(Self.whole.count))) { provider in
            let chunks = try await provider.loadBytes(for: .data).value
            #expect(chunks.byteCount == Int64(Self.whole.count))
            var count = 0
            for try await chunk in chunks { count += chunk.count }
            #expect(count == Self.whole.count)
        }
    }

    @Test("A stream without any bytes is empty data", arguments: LoadPlace.allCases)
    func empty(place: LoadPlace) async throws {
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { _ in }
        try await place.with(provider) { provider in
            let loaded = try await provider.loadData(for: .data).value
            #expect(loaded.isEmpty)
        }
    }

    @Test(
        "A stream with fewer or more bytes than announced fails",
        arguments: LoadPlace.allCases
    )
    func wrongCount(place: LoadPlace) async throws {
        for (byteCount, words) in [(Int64(Self.whole.count) + 1, "announced"), (Int64(5), "announced")] {
            try await place.with(provider(byteCount: byteCount)) { provider in
                let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
                #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test(
        "An error that the handler throws between two writes reaches the destination after the bytes",
        arguments: LoadPlace.allCases
    )
    func failing(place: LoadPlace) async throws {
        struct Broken: Error {}
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            try await writer.write(Data("half".utf8))
            throw Broken()
        }
        try await place.with(provider) { provider in
            var joined = Data()
            let error = await #expect(throws: PasteboardError.self) {
                for try await chunk in try await provider.loadBytes(for: .data).value { joined += chunk }
            }
            #expect(error?.code == .sourceFailed && error?.sourceError?.domain.contains("Broken") == true)
            #expect(joined == Data("half".utf8))
        }
    }

    @Test(
        "A destination that does not read pauses the writer, and releasing the chunks ends it",
        arguments: LoadPlace.allCases
    )
    func backPressure(place: LoadPlace) async throws {
        let written = Lock(0)
        let ended = Gate()
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            defer { ended.open() }
            // The writer never ends by itself.
            while true {
                try await writer.write(Self.piece(1, count: 65_536))
                written.withLock { $0 += 65_536 }
            }
        }
        try await place.with(provider) { provider in
            for try await _ in try await provider.loadBytes(for: .data).value {
                // The bytes that may be in transfer: the credit windows of both ends and the buffers of the sockets.
                let count = written.withLock { $0 }
                #expect(count < 16 << 20)
                break
            }
        }
        await ended.wait()
    }

    @Test(
        "Cancelling the load cancels the writer's task, and its next write throws",
        arguments: LoadPlace.allCases
    )
    func cancelling(place: LoadPlace) async throws {
        let (started, ended) = (Gate(), Gate())
        let code = Lock(PasteboardError.Code?.none)
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            do throws(PasteboardError) {
                while true {
                    try await writer.write(Self.piece(1))
                    started.open()
                }
            } catch {
                code.withLock { $0 = error.code }
                ended.open()
            }
        }
        try await place.with(provider) { provider in
            let progress = LoadProgress()
            let load = Task { try await provider.loadData(for: .data, progress: progress) }
            await started.wait()
            progress.cancel()
            let error = await #expect(throws: PasteboardError.self) { try await load.value }
            #expect(error?.code == .cancelled)
            await ended.wait()
            #expect(code.withLock { $0 } == .cancelled)
        }
    }

    @Test("Progress that the writer reports is the progress of the load", arguments: LoadPlace.allCases)
    func progress(place: LoadPlace) async throws {
        let (reported, goOn) = (Gate(), Gate())
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            writer.progress.totalUnitCount = 200
            writer.progress.completedUnitCount = 50
            await goOn.wait()
            try await writer.write(Data([1]))
        }
        try await place.with(provider) { provider in
            let progress = LoadProgress()
            let watch = Task {
                for await snapshot in progress.snapshots where snapshot.fractionCompleted == 0.25 { reported.open() }
            }
            let load = Task { try await provider.loadData(for: .data, progress: progress) }
            await reported.wait()
            goOn.open()
            let loaded = try await load.value.value
            #expect(loaded == Data([1]))
            watch.cancel()
        }
    }
}
