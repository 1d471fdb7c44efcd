import FoundationEssentials
import PasteboardTransport
import TestSupport

@testable import PasteboardKit

/// A source of chunks that a test provides one by one.
final class TestChunks: ChunkSource {
    typealias Chunk = Result<Data?, any Error>

    private struct State {
        var chunks: [Chunk] = []
        var completion: (@Sendable (Chunk) -> Void)?
        var isCancelled = false
    }

    let byteCount: UInt64?
    private let state = Lock(State())
    private let firstAsk = Gate()
    private let onCancel: @Sendable () -> Void

    init(byteCount: UInt64? = nil, onCancel: @escaping @Sendable () -> Void = {}) {
        self.byteCount = byteCount
        self.onCancel = onCancel
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether a reader waits for a chunk.
    var isAsked: Bool { state.withLock { $0.completion != nil } }

    /// Returns after the first chunk was asked for.
    func asked() async {
        await firstAsk.wait()
    }

    func give(_ chunks: Chunk...) {
        state.withLock { $0.chunks += chunks }
        deliver()
    }

    func next(_ completion: @escaping @Sendable (Chunk) -> Void) {
        state.withLock { $0.completion = completion }
        firstAsk.open()
        deliver()
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        onCancel()
    }

    private func deliver() {
        let delivery = state.withLock { state -> (completion: @Sendable (Chunk) -> Void, chunk: Chunk)? in
            guard let completion = state.completion, !state.chunks.isEmpty else { return nil }
            state.completion = nil
            return (completion, state.chunks.removeFirst())
        }
        if let delivery { delivery.completion(delivery.chunk) }
    }
}
