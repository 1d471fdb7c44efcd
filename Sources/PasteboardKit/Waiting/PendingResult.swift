/// One result for one waiter, with several owners; either may come first.
final class PendingResult<Value: Sendable>: Sendable {
    typealias Outcome = ResultCell<Value>.Outcome

    private let cell = ResultCell<Value>()

    var isResolved: Bool { cell.isResolved }

    /// Sets the result, as ``ResultCell/resolve(_:)`` does.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        cell.resolve(outcome)
    }

    /// Waits for the result, as ``ResultCell/value(isolation:onCancel:start:)`` does.
    func value(
        isolation: isolated (any Actor)? = #isolation,
        onCancel cancel: @Sendable () -> Void,
        start: () -> Void = {}
    ) async throws(PasteboardError) -> Value {
        try await cell.value(isolation: isolation, onCancel: cancel, start: start)
    }
}
