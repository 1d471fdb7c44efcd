import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct CallOrderTests {
    /// Counts the calls that run at the same time.
    private final class Overlap: Sendable {
        private let state = Lock((running: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { $0.running -= 1 }
        }
    }

    @Test("Calls do not overlap")
    func exclusion() async throws {
        let (order, overlap) = (CallOrder(), Overlap())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await order.acquire(for: Call("the test"))
                    overlap.begin()
                    await Task.yield()
                    overlap.end()
                    order.release()
                }
            }
            try await group.waitForAll()
        }
        #expect(overlap.most == 1)
    }

    @Test("A cancelled call gets no turn, whether it waits or the order is free, and the next call gets it")
    func cancelling() async throws {
        let order = CallOrder()
        try await order.acquire(for: Call("the first"))
        let waiting = Task { try await order.acquire(for: Call("the second")) }
        waiting.cancel()
        let error = await #expect(throws: PasteboardError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        order.release()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await order.acquire(for: Call("the third"))
        }
        await #expect(throws: PasteboardError.self) { try await cancelled.value }
        try await order.acquire(for: Call("the fourth"))
        order.release()
    }
}
