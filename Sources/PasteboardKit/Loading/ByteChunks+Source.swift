import FoundationEssentials
import PasteboardClient
import PasteboardTransport

extension ByteChunks {
    /// Where the chunks come from.
    enum Origin: Sendable {
        case load(ChunkLoad)
        /// The bytes came as a file.
        case file(FileChunks)
        /// A handler of this process has made them, at once.
        case data(Data)
        case nowhere

        func cancel() {
            switch self {
            case .load(let load): load.cancel()
            case .file(let file): file.cancel()
            case .data, .nowhere: break
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
        private let wasRead = Lock(false)

        init(_ origin: Origin) {
            self.origin = origin
        }

        deinit {
            origin.cancel()
        }

        /// What the bytes came as, if that is a file.
        var file: PassedFile? {
            if case .file(let chunks) = origin { chunks.file } else { nil }
        }

        /// Whether the load of that file was cancelled meanwhile.
        var isCancelled: Bool {
            if case .file(let chunks) = origin { chunks.isOver } else { false }
        }

        /// All has been taken from the file.
        func finish() {
            if case .file(let chunks) = origin { chunks.finish() }
        }

        func next() async throws(PasteboardError) -> Data? {
            switch origin {
            case .load(let load):
                return try await load.next()
            case .file(let file):
                return try await file.next()
            case .data(let data):
                let wasRead = wasRead.withLock { wasRead in
                    defer { wasRead = true }
                    return wasRead
                }
                return wasRead || data.isEmpty ? nil : data
            case .nowhere:
                throw PasteboardError(.invalidArgument, message: "the chunks of a load can be iterated only once")
            }
        }
    }
}
