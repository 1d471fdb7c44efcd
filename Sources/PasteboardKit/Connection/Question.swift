import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A request whose answers are combined into one value, which is the result after the last answer.
final class Question<Value: Sendable>: StreamSink {
    private struct State {
        var value: Value
        var isAnswered = false
        var failure: Failure?
    }

    let endsWhenCancelled: Bool
    private let result = PendingResult<Value>()
    private let state: Lock<State>
    private let open: @Sendable (inout ClientState) throws(Failure) -> UInt64
    private let handle: @Sendable (inout Value, ClientEvent) -> Bool

    /// - Parameters:
    ///   - initial: the value before the first answer.
    ///   - endsWhenCancelled: whether a cancellation withdraws the request. Otherwise its answers are still handled.
    ///   - open: makes the request.
    ///   - handle: adds an answer to the value; returns whether it was the last one.
    init(
        _ initial: Value,
        endsWhenCancelled: Bool = true,
        open: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64,
        handle: @escaping @Sendable (inout Value, ClientEvent) -> Bool
    ) {
        state = Lock(State(value: initial))
        self.endsWhenCancelled = endsWhenCancelled
        self.open = open
        self.handle = handle
    }

    /// Makes the request and waits for the result. Called once.
    func answer(over live: BrokerConnection, for call: Call) async throws(PasteboardError) -> Value {
        try await result.value(for: call) {
            live.cancel(self)
        } start: {
            live.open(self, open)
        }
    }

    var isCancelled: Bool { result.isResolved }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        state.withLock { state in
            state.isAnswered = handle(&state.value, event) || state.isAnswered
            return state.isAnswered
        }
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.failure = failure }
    }

    func deliver() {
        let (value, failure) = state.withLock { ($0.isAnswered ? $0.value : nil, $0.failure) }
        if let value { result.resolve(.success(value)) }
        if let failure { result.resolve(.failure(PasteboardError(failure))) }
    }
}

extension Question {
    /// Makes one request of a list: its value is the operation after the answers, and the step that follows.
    static func request(of list: ListOperation) -> Question where Value == (ListOperation, ListOperation.Step?) {
        Question((list, nil)) { state throws(Failure) in
            try list.open(&state)
        } handle: { value, event in
            value.1 = value.0.handle(event)
            return value.1 != nil
        }
    }
}

extension BrokerConnection {
    /// Lists a board. If it is empty, the call waits while contents of an earlier broker may still come back.
    func listing(of board: String, for call: Call) async throws(PasteboardError) -> BoardListing {
        var operation = ListOperation(board, settles: expectsReclaims)
        while true {
            let request = Question.request(of: operation)
            var step: ListOperation.Step?
            do throws(PasteboardError) {
                (operation, step) = try await request.answer(over: self, for: call)
            } catch {
                step = operation.failed(ErrorCode(rawValue: error.code.rawValue))
                if step == nil { throw error }
            }
            if case .listed(let listing) = step { return listing }
            // Ends a watch. A list has ended.
            cancel(request)
        }
    }
}
