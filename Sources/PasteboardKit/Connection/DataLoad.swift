import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The type, the request and the connection of all loads of one representation. It is an object, because a load that
/// held these values itself would copy them.
final class LoadTarget: Sendable {
    let type: UniformType
    let live: LiveConnection
    /// The request of a load without a timeout.
    private let request: EncodedLoad

    init(_ type: UniformType, _ request: Load, live: LiveConnection) {
        self.type = type
        self.live = live
        self.request = EncodedLoad(request, standardCredit: ClientState.standardWindow)
    }

    // A method of this object, because the request would be copied to be used elsewhere.
    @inline(never)
    fileprivate func open(_ state: inout ClientState) throws(Failure) -> UInt64 {
        try state.open(request)
    }
}

/// A load into memory.
final class DataLoad: Request {
    /// The largest reservation for a size that the source has only announced; beyond it, the memory grows with the
    /// bytes.
    private static let largestReservation = 64 << 20

    private enum End {
        case complete
        /// There are more bytes than the load accepts. They are dropped, and the load is being cancelled.
        case tooLarge
        indirect case passed(DescriptorBox, Answer)
        indirect case failed(Failure)
    }

    private struct State {
        /// The type of the bytes, unless it is the requested one.
        var otherType: UniformType?
        var byteCount: UInt64?
        var data = Data()
        /// Whether the source reports its own progress. Then the number of bytes does not count as progress.
        var sourceReports = false
        /// Progress that is to be reported.
        var report: (completed: UInt64, total: UInt64?)?
        var end: End?
    }

    let result = ResultCell<Loaded<Data>>()
    private let progress: LoadProgress?
    private let target: LoadTarget
    private let maximum: Int
    private let state = Lock(State())

    /// - Parameter maximum: the largest number of bytes that is accepted.
    init(_ target: LoadTarget, maximum: Int = LoadBounds.standardMaximum, progress: LoadProgress?) {
        self.target = target
        self.maximum = maximum
        self.progress = progress
    }

    var isCancelled: Bool { result.isResolved }

    private var expected: UniformType { target.type }

    /// Makes the request of a load without a timeout.
    func open(_ client: inout ClientState) throws(Failure) -> UInt64 {
        try target.open(&client)
    }

    func take(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        of memory: ReadMemory?,
        _ client: inout ClientState
    ) -> Bool {
        switch event {
        case .answered(_, let answer):
            // The answer to nearly every load contains nothing new, so it is compared where it lies.
            let isExpected = answer.content == nil && answer.hasType(expected.identifier, in: bytes)
            return state.withLock { state in
                if !isExpected {
                    state.otherType = Loaded<Data>.dataType(of: Answer(answer, in: bytes), expected: expected)
                }
                return !expect(answer.byteCount, &state)
            }
        case .data(let stream, let payload, let isLast):
            let isAccepted = state.withLock { state in
                guard state.end == nil, payload.count <= maximum - state.data.count else {
                    (state.data, state.end) = (Data(), .tooLarge)
                    return false
                }
                state.data.append(copying: bytes.extracting(payload))
                if !state.sourceReports { state.report = (UInt64(state.data.count), state.byteCount) }
                if isLast { state.end = .complete }
                return true
            }
            // No credit is granted for bytes that are dropped.
            if isAccepted, !isLast { client.consumed(stream, count: payload.count) }
            return !isAccepted || progress != nil
        case .progress(_, let message):
            state.withLock { state in
                state.sourceReports = true
                state.report = (message.completed ?? 0, message.total)
            }
            return progress != nil
        case .passed(_, let answer, let descriptor):
            state.withLock { $0.end = .passed(descriptor, answer) }
        case .ended:
            state.withLock { $0.end = $0.end ?? .complete }
        default:
            break
        }
        return false
    }

    /// Records the announced size.
    ///
    /// - Returns: whether the load accepts so many bytes.
    private func expect(_ byteCount: UInt64?, _ state: inout State) -> Bool {
        guard let byteCount else { return true }
        state.byteCount = byteCount
        guard byteCount <= UInt64(maximum) else {
            state.end = .tooLarge
            return false
        }
        state.data.reserveCapacity(Int(clamping: min(byteCount, UInt64(Self.largestReservation))))
        return true
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.end = $0.end ?? .failed(failure) }
    }

    /// Takes a passed file. Sealed memory is mapped at once; a file is read on a thread that may wait for its disk.
    private func take(_ descriptor: DescriptorBox, _ answer: Answer) {
        if System.isFullySealed(descriptor.raw) { return read(descriptor, answer) }
        ThreadPool.files.run { self.read(descriptor, answer) }
    }

    private func read(_ descriptor: DescriptorBox, _ answer: Answer) {
        let outcome: ResultCell<Loaded<Data>>.Outcome
        do throws(Failure) {
            let file = try PassedFile(descriptor, answer)
            guard file.byteCount <= UInt64(maximum) else {
                return cancel(.tooLarge(expected, file.byteCount, maximum: maximum))
            }
            let data = try file.contents { self.isCancelled }
            outcome = .success(Loaded(value: data, type: Loaded<Data>.dataType(of: answer, expected: expected)))
            progress?.end(byteCount: data.count)
        } catch {
            outcome = .failure(PasteboardError(error))
            progress?.end(byteCount: nil)
        }
        result.resolve(outcome)
    }

    func deliver() {
        if let progress, let report = state.withLock({ $0.report.take() }) { progress.report(report) }
        let (end, loaded) = state.withLock { state -> (End?, Loaded<Data>?) in
            switch state.end {
            // Stays, so that the bytes that follow are dropped.
            case .tooLarge: return (.tooLarge, nil)
            case .complete:
                state.end = nil
                let data = exchange(&state.data, with: Data())
                return (.complete, Loaded(value: data, type: state.otherType ?? expected))
            default: return (state.end.take(), nil)
            }
        }
        switch end {
        case nil: break
        case .complete:
            guard let loaded else { return }
            progress?.end(byteCount: loaded.value.count)
            result.resolve(.success(loaded))
        case .tooLarge:
            cancel(.tooLarge(expected, state.withLock { $0.byteCount }, maximum: maximum))
        case .passed(let descriptor, let answer):
            take(descriptor, answer)
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
