import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The sink of a load from another process. Its conforming types differ in where the bytes go.
protocol LoadSink: StreamSink {
    var progress: LoadProgress? { get }
    /// Called when the source has answered with the type, size and name.
    func answered(_ answer: Answer, _ effects: inout [ConnectionEffect])
    /// Called when the source reports its own progress. From then on the number of bytes does not count as progress.
    func sourceReports()
    /// Called under the connection's lock when the load is complete.
    func finish(_ effects: inout [ConnectionEffect])
}

extension LoadSink {
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        take(event, in: bytes, &effects)
    }

    func take(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .answered(_, let answer):
            answered(Answer(answer, in: bytes), &effects)
        case .progress(_, let message):
            guard progress != nil else { return }
            sourceReports()
            report(message.completed.map { Int64(clamping: $0) } ?? 0, of: message.total, &effects)
        case .passed:
            effects.append(.deliver(.event(event), to: self))
        case .ended:
            finish(&effects)
        default:
            break
        }
    }

    func report(_ completed: Int64, of total: UInt64?, _ effects: inout [ConnectionEffect]) {
        let total = total.map { Int64(clamping: $0) }
        effects.append(.deliver(.progress(completed: completed, total: total), to: self))
    }
}
