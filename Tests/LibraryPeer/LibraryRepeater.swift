import FoundationEssentials
import Glibc
import PasteboardCompatibility
import PasteboardKit

/// A source and destination in one process that loads repeatedly and reports the resources of the process.
struct LibraryRepeater {
    private enum Kind: String {
        case data
        case object
        case fileAsData
        case file
        case memory
        case stream
        case callback
        case failing
        case cancelledByProgress
        case cancelledByTask
        case letGo
        case closed
        case released
    }

    /// Larger than any leak per load that could go unnoticed.
    private static let byteCount = 1 << 20
    private static let loads = 100

    private let kind: Kind
    private let socket: String
    private let provider = ItemProvider()
    /// The calls of a handler that ends only when it is cancelled.
    private let calls = AsyncStream.makeStream(of: Void.self)

    init(_ words: [PeerWord], socket: String) throws {
        guard let kind = words.first.flatMap({ Kind(rawValue: $0.name) }) else { throw Misuse() }
        self.kind = kind
        self.socket = socket
        let call = calls.continuation
        switch kind {
        case .data, .callback, .closed, .released:
            provider.registerDataRepresentation(for: .data) { Shown.pattern(Self.byteCount) }
        case .object:
            provider.registerObject(String(repeating: "text", count: Self.byteCount / 4), visibility: .all)
        case .fileAsData, .file:
            guard let path = words.first(where: { $0.name == "path" })?.value else { throw Misuse() }
            let file = URL(filePath: path)
            try Shown.pattern(Self.byteCount).write(to: file)
            provider.registerFileRepresentation(for: .data) { file }
        case .memory:
            provider.registerSharedMemory(for: .data) { try SharedMemory(Shown.pattern(Self.byteCount)) }
        case .stream, .letGo:
            provider.registerByteStream(for: .data) { writer in
                for _ in 0..<16 { try await writer.write(Shown.pattern(Self.byteCount / 16)) }
            }
        case .failing:
            provider.registerDataRepresentation(for: .data) { progress in
                progress.completedUnitCount = Int64(Shown.pattern(Self.byteCount).count)
                throw CancellationError()
            }
        case .cancelledByProgress, .cancelledByTask:
            provider.registerDataRepresentation(for: .data) { progress in
                let bytes = Shown.pattern(Self.byteCount)
                let (end, ends) = AsyncStream.makeStream(of: Void.self)
                progress.cancellationHandler = { ends.finish() }
                call.yield()
                for await _ in end {}
                return bytes
            }
        }
    }

    private func connect() -> PasteboardConnection {
        PasteboardConnection(socketPath: socket, startsBroker: false)
    }

    func run(_ board: Pasteboard) async throws {
        let publication = try await board.write([provider])
        LibraryPeer.say("promised")
        let destination = connect()
        let item = try await Self.item(destination)
        while let order = readLine() {
            switch order {
            case "go":
                for _ in 0..<Self.loads { try await load(item) }
                LibraryPeer.say("done")
            case "measure":
                LibraryPeer.say(try Self.measurement())
            default: throw Misuse()
            }
        }
        withExtendedLifetime(publication) {}
    }

    private static func item(_ connection: PasteboardConnection) async throws -> ItemProvider {
        let contents = try await Pasteboard(name: .general, connection: connection).contents()
        guard let item = contents.items.first else { throw Misuse() }
        return item.itemProvider
    }

    private func load(_ item: ItemProvider) async throws {
        switch kind {
        case .data, .fileAsData, .memory:
            try check(try await item.loadData(for: .data).count)
        case .object:
            try check(try await item.load(String.self).utf8.count)
        case .file:
            try check(try await item.withLoadedFile(for: .data) { try Data(contentsOf: $0.value).count })
        case .stream:
            var count = 0
            for try await chunk in try await item.loadBytes(for: .data) { count += chunk.count }
            try check(count)
        case .callback:
            let count = await withCheckedContinuation { continuation in
                item.loadDataRepresentation(for: .data) { data, _ in continuation.resume(returning: data?.count ?? 0) }
            }
            try check(count)
        case .failing:
            try await expect(.sourceFailed) { try await item.loadData(for: .data) }
        case .cancelledByProgress:
            let progress = LoadProgress()
            let load = Task { try await item.loadData(for: .data, progress: progress) }
            await nextCall()
            progress.cancel()
            try await expect(.cancelled) { try await load.value }
        case .cancelledByTask:
            let load = Task { try await item.loadData(for: .data) }
            await nextCall()
            load.cancel()
            try await expect(.cancelled) { try await load.value }
        case .letGo:
            var chunks = try await item.loadBytes(for: .data).makeAsyncIterator()
            guard try await chunks.next() != nil else { throw Misuse() }
        case .closed, .released:
            let connection = connect()
            try check(try await Self.item(connection).loadData(for: .data).count)
            if kind == .closed { await connection.close() }
        }
    }

    private func nextCall() async {
        for await _ in calls.stream { return }
    }

    private func check(_ count: Int) throws {
        guard count == Self.byteCount else { throw Misuse() }
    }

    private func expect(_ code: PasteboardError.Code, _ load: () async throws -> Data) async throws {
        do {
            _ = try await load()
        } catch let error as PasteboardError where error.code == code {
            return
        }
        throw Misuse()
    }

    /// The number of descriptors and of threads, and the resident memory in KiB.
    private static func measurement() throws -> String {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.filter(\.isNumber) ?? ""
        return "\(descriptors) \(threads) \(memory)"
    }
}
