import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load into memory.
final class DataLoad: StreamSink {
    /// Room that is made on the word of a source alone; beyond it grows with what really comes.
    private static let largestReservation = 64 << 20

    private struct State {
        var answer = Answer()
        var data = Data()
        var hasReport = false
    }

    let result = PendingResult<Loaded<Data>>()
    private let expected: UniformType
    private let progress: LoadProgress?
    private let state = Lock(State())

    /// - Parameter expected: the type asked for.
    init(_ expected: UniformType, progress: LoadProgress?) {
        self.expected = expected
        self.progress = progress
    }

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .answered(_, let answer):
            state.withLock { state in
                state.answer = answer
                state.data.reserveCapacity(Int(clamping: min(answer.byteCount ?? 0, UInt64(Self.largestReservation))))
            }
        case .progress(_, let progress):
            guard let report = self.progress else { return }
            state.withLock { $0.hasReport = true }
            effects.append {
                report.report(
                    completed: Int64(clamping: progress.completed ?? 0),
                    total: progress.total.map { Int64(clamping: $0) }
                )
            }
        case .passed(_, let answer, let descriptor):
            state.withLock { $0.answer = answer }
            effects.append { self.take(descriptor, answer) }
        case .ended:
            finish(&effects)
        default:
            break
        }
    }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout Effects) -> BytesDisposal {
        let (count, hasReport, total) = state.withLock { state in
            state.data.append(copying: bytes)
            return (state.data.count, state.hasReport, state.answer.byteCount)
        }
        if let progress, !hasReport {
            effects.append { progress.report(completed: Int64(count), total: total.map { Int64(clamping: $0) }) }
        }
        if isLast { finish(&effects) }
        return .consumed
    }

    /// Memory that nobody can change is mapped at once. A file is read, by a thread that may wait for its disk.
    private func take(_ descriptor: DescriptorBox, _ answer: Answer) {
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

    private func finish(_ effects: inout Effects) {
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

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append {
            self.progress?.end(byteCount: nil)
            self.result.resolve(.failure(PasteboardError(failure)))
        }
    }
}
