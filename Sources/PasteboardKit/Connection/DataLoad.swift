import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The type, the request and the connection of all loads of one representation. It is an object, because a load that
/// held these values itself would copy them.
final class LoadTarget: Sendable {
    let type: UniformType
    let live: BrokerConnection
    /// The request of a load without a timeout.
    fileprivate let request: EncodedLoad

    init(_ type: UniformType, _ request: Load, live: BrokerConnection) {
        self.type = type
        self.live = live
        self.request = EncodedLoad(request, standardCredit: ClientState.standardWindow)
    }
}

/// A load into memory.
final class DataLoad: StreamSink {
    private struct State {
        var operation: LoadOperation
        var data = Data()
    }

    let result = ResultCell<Loaded<Data>>()
    private let progress: LoadProgress?
    private let target: LoadTarget
    private let maximum: UInt64
    private let state: Lock<State>

    /// - Parameter maximum: the largest number of bytes that is accepted.
    init(_ target: LoadTarget, maximum: Int = LoadOptions.standardMaximum, progress: LoadProgress?) {
        let maximum = UInt64(maximum)
        self.target = target
        self.maximum = maximum
        self.progress = progress
        state = Lock(
            State(operation: LoadOperation(expecting: target.type.identifier, keepsAnswer: false, maximum: maximum))
        )
    }

    var isCancelled: Bool { result.isResolved }

    private var expected: UniformType { target.type }

    /// Makes the request of a load without a timeout.
    func open(_ client: inout ClientState) throws(Failure) -> UInt64 {
        try client.open(target.request)
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of _: ReadMemory?, _ client: inout ClientState) -> Bool {
        // The closure below copies the event, which costs less if the compiler knows the case.
        switch event {
        case .data(let stream, let payload, let isLast):
            handle(.data(stream, payload: payload, last: isLast), bytes, &client)
        case .answered(let stream, let answer): handle(.answered(stream, answer), bytes, &client)
        default: handle(event, bytes, &client)
        }
    }

    @inline(__always)
    private func handle(_ event: ClientEvent, _ bytes: Span<UInt8>, _ client: inout ClientState) -> Bool {
        state.withLock { state in
            switch state.operation.handle(event, in: bytes) {
            case .answered: state.data.reserve(announced: state.operation.byteCount ?? 0)
            case .bytes(let range):
                state.data.append(copying: bytes.extracting(range))
                if state.operation.end == nil { client.consumed(event.stream, count: range.count) }
                return progress != nil
            case .progress: return progress != nil
            case .over: return true
            case .none: break
            }
            return false
        }
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.operation.fail(failure) }
    }

    /// Makes the load with `start` as a part of a call, and waits for its bytes.
    func value(for call: Call, start: () -> Void) async throws(PasteboardError) -> Loaded<Data> {
        progress?.begin { self.cancel() }
        let timer = call.deadline?.timer(grace: LoadDeadline.brokerGrace) { self.cancel(call.timedOut) }
        defer { timer?.cancel() }
        return try await result.value {
            self.cancel()
        } start: {
            start()
        }
    }

    /// Receives a passed file. Sealed memory is mapped at once; a file is read on a thread that may wait for its disk.
    private func receive(_ descriptor: DescriptorBox, _ answer: Answer) {
        if System.isFullySealed(descriptor.raw) { return read(descriptor, answer) }
        ThreadPool.files.run { self.read(descriptor, answer) }
    }

    private func read(_ descriptor: DescriptorBox, _ answer: Answer) {
        let outcome: ResultCell<Loaded<Data>>.Outcome
        do throws(Failure) {
            let data = try PassedFile(descriptor, answer).contents { self.isCancelled }
            outcome = .success(Loaded(value: data, type: answer.dataType(expected: expected)))
            progress?.end(byteCount: data.count)
        } catch {
            outcome = .failure(PasteboardError(error))
            progress?.end(byteCount: nil)
        }
        result.resolve(outcome)
    }

    func deliver() {
        if let progress, let report = state.withLock({ $0.operation.takeProgress() }) { progress.report(report) }
        let (end, loaded) = state.withLock { state -> (LoadOperation.End?, Loaded<Data>?) in
            let end = state.operation.end.take()
            guard case .complete = end else { return (end, nil) }
            // Taken together with the end, because another thread may deliver, too.
            let type = state.operation.answer?.dataType(expected: expected)
            return (end, Loaded(value: exchange(&state.data, with: Data()), type: type ?? expected))
        }
        switch end {
        case nil: break
        case .complete:
            guard let loaded = consume loaded else { return }
            progress?.end(byteCount: loaded.value.count)
            result.resolve(.success(loaded))
        case .tooLarge:
            cancel(.tooLarge(expected, state.withLock { $0.operation.byteCount }, maximum: Int(clamping: maximum)))
        case .passed(let descriptor, let answer):
            receive(descriptor, answer)
        case .failed(let failure):
            progress?.end(byteCount: nil)
            result.resolve(.failure(PasteboardError(failure)))
        }
    }

    /// Ends the load with an error, unless it has ended.
    func cancel(_ error: PasteboardError = .cancelled) {
        guard result.resolve(.failure(error)) else { return }
        // The waiting task may run much later.
        if error.code != .cancelled { progress?.end(byteCount: nil) }
        target.live.cancel(self)
    }
}
