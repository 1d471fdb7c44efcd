import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load into memory.
final class DataLoad: LoadSink {
    /// The largest reservation for a size that the source has only announced; beyond it, the memory grows with the
    /// bytes.
    private static let largestReservation = 64 << 20

    private struct State {
        var answer = Answer()
        var data = Data()
        var sourceReports = false
    }

    let result = ResultCell<Loaded<Data>>()
    let progress: LoadProgress?
    private let expected: UniformType
    private let live: LiveConnection
    private let state = Lock(State())

    /// - Parameter expected: the requested type.
    init(_ expected: UniformType, progress: LoadProgress?, live: LiveConnection) {
        self.expected = expected
        self.progress = progress
        self.live = live
    }

    var isCancelled: Bool { result.isResolved }

    func answered(_ answer: Answer, _ effects: inout [ConnectionEffect]) {
        state.withLock { state in
            state.answer = answer
            state.data.reserveCapacity(Int(clamping: min(answer.byteCount ?? 0, UInt64(Self.largestReservation))))
        }
    }

    func sourceReports() {
        state.withLock { $0.sourceReports = true }
    }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        let (count, sourceReports, total) = state.withLock { state in
            state.data.append(copying: bytes)
            return (state.data.count, state.sourceReports, state.answer.byteCount)
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
        case .finished:
            let (answer, data) = state.withLock { state in
                defer { state.data = Data() }
                return (state.answer, state.data)
            }
            progress?.end(byteCount: data.count)
            let type = Loaded<Data>.dataType(of: answer, expected: expected)
            result.resolve(.success(Loaded(value: data, type: type)))
        case .failed(let failure):
            progress?.end(byteCount: nil)
            result.resolve(.failure(PasteboardError(failure)))
        case .changed, .answered, .event:
            break
        }
    }

    /// Ends the load with an error, unless it has ended.
    func cancel(_ error: PasteboardError = .cancelled) {
        guard result.resolve(.failure(error)) else { return }
        // The waiting task may run much later.
        if error.code == .timeout { progress?.end(byteCount: nil) }
        live.cancel(self)
    }
}
