import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The sink of a load from another process. What differs between its forms is where the bytes go.
protocol LoadSink: StreamSink {
    var progress: LoadProgress? { get }
    /// The source has said what it gives.
    func answered(_ answer: Answer, _ effects: inout Effects)
    /// The source reports its own progress: from now on the number of bytes does not count as progress.
    func sourceReports()
    /// The bytes came as a file. Called without a lock.
    func take(_ descriptor: DescriptorBox, _ answer: Answer)
    /// - Parameter failure: the reason why the load failed; nil if it is complete.
    func finish(_ failure: Failure?, _ effects: inout Effects)
}

extension LoadSink {
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .answered(_, let answer): answered(answer, &effects)
        case .progress(_, let message): report(message, &effects)
        case .passed(_, let answer, let descriptor): effects.append { self.take(descriptor, answer) }
        case .ended: finish(nil, &effects)
        default: break
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        finish(failure, &effects)
    }

    private func report(_ message: Progress, _ effects: inout Effects) {
        guard let progress else { return }
        sourceReports()
        effects.append {
            progress.report(
                completed: Int64(clamping: message.completed ?? 0),
                total: message.total.map { Int64(clamping: $0) }
            )
        }
    }
}
