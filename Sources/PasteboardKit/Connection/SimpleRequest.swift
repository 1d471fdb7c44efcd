import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A request whose answers are combined into one value. The value is the result after the last answer.
final class SimpleRequest<Value: Sendable>: StreamSink {
    let result = PendingResult<Value>()
    private let value: Lock<Value>
    private let take: @Sendable (inout Value, ClientEvent) -> Bool

    /// - Parameters:
    ///   - initial: the value before the first answer.
    ///   - take: adds an answer to the value; returns whether it was the last one.
    init(_ initial: Value, _ take: @escaping @Sendable (inout Value, ClientEvent) -> Bool) {
        value = Lock(initial)
        self.take = take
    }

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        if value.withLock({ take(&$0, event) }) { effects.append(.deliver(.finished, to: self)) }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .finished: result.resolve(.success(value.withLock(\.self)))
        case .failed(let failure): result.resolve(.failure(PasteboardError(failure)))
        case .changed, .answered, .progress, .event: break
        }
    }
}
