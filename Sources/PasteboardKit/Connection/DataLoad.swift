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
final class DataLoad: LoadSink {
    /// The largest reservation for a size that the source has only announced; beyond it, the memory grows with the
    /// bytes.
    private static let largestReservation = 64 << 20

    private struct State {
        /// The type of the bytes, unless it is the requested one.
        var otherType: UniformType?
        var byteCount: UInt64?
        var data = Data()
        var sourceReports = false
        /// Whether there are more bytes than the load accepts. They are dropped, and the load is being cancelled.
        var isTooLarge = false
    }

    let result = ResultCell<Loaded<Data>>()
    let progress: LoadProgress?
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
    func open(_ state: inout ClientState) throws(Failure) -> UInt64 {
        try target.open(&state)
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        // The answer to nearly every load contains nothing new, so it is compared where it lies.
        if case .answered(_, let answer) = event, answer.content == nil,
            answer.hasType(expected.identifier, in: bytes)
        {
            let fits = state.withLock { state in
                state.byteCount = answer.byteCount
                return reserve(answer.byteCount, &state)
            }
            if !fits { effects.append(.deliver(.changed, to: self)) }
        } else {
            take(event, in: bytes, &effects)
        }
    }

    func answered(_ answer: Answer, _ effects: inout [ConnectionEffect]) {
        let fits = state.withLock { state in
            state.otherType = Loaded<Data>.dataType(of: answer, expected: expected)
            state.byteCount = answer.byteCount
            return reserve(answer.byteCount, &state)
        }
        if !fits { effects.append(.deliver(.changed, to: self)) }
    }

    /// - Returns: whether the load accepts so many bytes.
    private func reserve(_ byteCount: UInt64?, _ state: inout State) -> Bool {
        guard let byteCount else { return true }
        guard byteCount <= UInt64(maximum) else {
            state.isTooLarge = true
            return false
        }
        state.data.reserveCapacity(Int(clamping: min(byteCount, UInt64(Self.largestReservation))))
        return true
    }

    func sourceReports() {
        state.withLock { $0.sourceReports = true }
    }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        let (count, wasTooLarge, sourceReports, total) = state.withLock { state -> (Int?, Bool, Bool, UInt64?) in
            guard !state.isTooLarge, bytes.count <= maximum - state.data.count else {
                state.data = Data()
                return (nil, exchange(&state.isTooLarge, with: true), false, nil)
            }
            state.data.append(copying: bytes)
            return (state.data.count, false, state.sourceReports, state.byteCount)
        }
        guard let count else {
            if !wasTooLarge { effects.append(.deliver(.changed, to: self)) }
            // No credit is granted for bytes that are dropped.
            return .held
        }
        if progress != nil, !sourceReports { report(Int64(count), of: total, &effects) }
        if isLast { finish(&effects) }
        return .consumed
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

    func finish(_ effects: inout [ConnectionEffect]) {
        effects.append(.deliver(.finished, to: self))
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .progress(let completed, let total):
            progress?.report(completed: completed, total: total)
        case .event(.passed(_, let answer, let descriptor)):
            take(descriptor, answer)
        case .changed:
            cancel(.tooLarge(expected, state.withLock { $0.byteCount }, maximum: maximum))
        case .finished:
            let loaded = state.withLock { state in
                Loaded(value: exchange(&state.data, with: Data()), type: state.otherType ?? expected)
            }
            progress?.end(byteCount: loaded.value.count)
            result.resolve(.success(consume loaded))
        case .failed(let failure):
            progress?.end(byteCount: nil)
            result.resolve(.failure(PasteboardError(failure)))
        case .answered, .event:
            break
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
