import FoundationEssentials
import PasteboardTransport

extension ByteChunks {
    /// Where the chunks come from.
    enum Origin: Sendable {
        case load(ChunkLoad)
        /// A handler of this process has made them, at once.
        case data(Data)
        case nowhere

        func cancel() {
            if case .load(let load) = self { load.cancel() }
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

        func next() async throws(PasteboardError) -> Data? {
            switch origin {
            case .load(let load):
                return try await load.next()
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
