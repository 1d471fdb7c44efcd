import FoundationEssentials
import PasteboardClient
import PasteboardTransport

extension ByteChunks {
    /// Where the chunks come from.
    enum Origin: Sendable {
        case load(ChunkLoad)
        /// They came as a file, or are made chunk by chunk in this process.
        case chunks(ChunkSourceReader)
        case nowhere

        func cancel() {
            switch self {
            case .load(let load): load.cancel()
            case .chunks(let chunks): chunks.end(.cancelled)
            case .nowhere: break
            }
        }
    }

    /// Holds the chunks until somebody reads them.
    final class Source: Sendable {
        private let origin: Lock<Origin>

        init(_ origin: Origin) {
            self.origin = Lock(origin)
        }

        deinit {
            origin.withLock { $0 }.cancel()
        }

        func makeReader() -> Reader {
            Reader(
                origin.withLock { origin in
                    defer { origin = .nowhere }
                    return origin
                }
            )
        }
    }

    /// The one reader: the load lives no longer than it.
    final class Reader: Sendable {
        private let origin: Origin

        init(_ origin: Origin) {
            self.origin = origin
        }

        deinit {
            origin.cancel()
        }

        /// Takes all: what came as a file by copying that, inside the kernel where it can.
        func write(to output: LoadedFile) async throws(PasteboardError) {
            if case .chunks(let chunks) = origin, let file = (chunks.source as? FileChunks)?.file {
                return try await chunks.takeAll { isOver in try output.fill(from: file, isOver: isOver) }
            }
            while let chunk = try await next() { try output.append(chunk) }
        }

        /// What was to be taken is not needed.
        func finish() async throws(PasteboardError) {
            if case .chunks(let chunks) = origin { try await chunks.takeAll { _ in } }
        }

        func cancel() {
            origin.cancel()
        }

        func next() async throws(PasteboardError) -> Data? {
            switch origin {
            case .load(let load):
                return try await load.next()
            case .chunks(let chunks):
                return try await chunks.next()
            case .nowhere:
                throw PasteboardError(.invalidArgument, message: "the chunks of a load can be iterated only once")
            }
        }
    }
}
