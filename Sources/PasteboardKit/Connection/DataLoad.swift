import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load into memory.
final class DataLoad: LoadSink {
    /// The largest reservation for a size that the source has only announced; beyond it, the memory grows with the bytes.
    private static let largestReservation = 64 << 20

    private struct State {
        var answer = Answer()
        var data = Data()
        var sourceReports = false
    }

    let result = PendingResult<Loaded<Data>>()
    let progress: LoadProgress?
    private let expected: UniformType
    private let state = Lock(State())

    /// - Parameter expected: the requested type.
    init(_ expected: UniformType, progress: LoadProgress?) {
        self.expected = expected
        self.progress = progress
    }

    var isCancelled: Bool { result.isResolved }

    func answered(_ answer: Answer, _ effects: inout Effects) {
        state.withLock { state in
            state.answer = answer
            state.data.reserveCapacity(Int(clamping: min(answer.byteCount ?? 0, UInt64(Self.largestReservation))))
        }
    }

    func sourceReports() {
        state.withLock { $0.sourceReports = true }
    }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout Effects) -> BytesDisposal {
        let (count, sourceReports, total) = state.withLock { state in
            state.data.append(copying: bytes)
            return (state.data.count, state.sourceReports, state.answer.byteCount)
        }
        if let progress, !sourceReports {
            effects.append { progress.report(completed: Int64(count), total: total.map { Int64(clamping: $0) }) }
        }
        if isLast { finish(nil, &effects) }
        return .consumed
    }

    /// Sealed memory is mapped at once. A file is read on a thread that may wait for its disk.
    func take(_ descriptor: DescriptorBox, _ answer: Answer) {
        if System.isFullySealed(descriptor.raw) { return read(descriptor, answer) }
        HandlerPool.files.run { self.read(descriptor, answer) }
    }

    private func read(_ descriptor: DescriptorBox, _ answer: Answer) {
        let outcome: PendingResult<Loaded<Data>>.Outcome
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

    func finish(_ failure: Failure?, _ effects: inout Effects) {
        if let failure {
            return effects.append {
                self.progress?.end(byteCount: nil)
                self.result.resolve(.failure(PasteboardError(failure)))
            }
        }
        let (answer, data) = state.withLock { state in
            let data = state.data
            state.data = Data()
            return (state.answer, data)
        }
        let type = Loaded<Data>.dataType(of: answer, expected: expected)
        effects.append {
            self.progress?.end(byteCount: data.count)
            self.result.resolve(.success(Loaded(value: data, type: type)))
        }
    }
}
