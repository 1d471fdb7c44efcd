package import PasteboardClient
import PasteboardTransport

/// Values for one task, which waits for them on a loop.
package final class Mailbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var isClosed = false
        var waiter: UInt64?
    }

    private let loop: Loop
    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: the number of values that may wait; with more of them it is closed, because another program
    ///   can cause them at any rate.
    package init(on loop: Loop, limit: Int = 1_024) {
        (self.loop, self.limit) = (loop, limit)
    }

    /// - Parameter isReplaced: selects the values that the new one replaces.
    package func put(_ value: Value, replacing isReplaced: (Value) -> Bool = { _ in false }) {
        change { state in
            state.values.removeAll(where: isReplaced)
            if state.values.count < limit { state.values.append(value) } else { state.isClosed = true }
        }
    }

    /// Puts a value back that was taken, as the first, unless a newer one is there.
    func putBack(_ value: Value, unless isNewer: (Value) -> Bool) {
        change { state in if !state.values.contains(where: isNewer) { state.values.insert(value, at: 0) } }
    }

    package func close() { change { $0.isClosed = true } }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            if !state.isClosed { body(&state) }
            return exchange(&state.waiter, with: nil)
        }
        if let waiter { loop.resume(waiter) }
    }

    /// The next value; nil at a time (see `MonotonicClock`), after `close`, or if the task is cancelled.
    package func next(until deadline: UInt64 = .max) async -> Value? {
        let number = loop.nextNumber()
        while true {
            let (value, isClosed) = state.withLock { state -> (Value?, Bool) in
                if !state.values.isEmpty { return (state.values.removeFirst(), false) }
                state.waiter = number
                return (nil, state.isClosed)
            }
            if let value { return value }
            if isClosed || Task.isCancelled || MonotonicClock.isOver(deadline) { return nil }
            await loop.pause(as: number, until: deadline) { state.withLock { $0.waiter != number } }
        }
    }
}
