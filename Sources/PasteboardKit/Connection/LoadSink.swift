import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The sink of a load from another process. What differs between its forms is where the bytes go.
protocol LoadSink: StreamSink {
    var progress: LoadProgress? { get }
    /// The source has said what it gives.
    func answered(_ answer: Answer, _ effects: inout [ConnectionEffect])
    /// The source reports its own progress: from now on the number of bytes does not count as progress.
    func sourceReports()
    /// The load is complete. Called under the connection's lock.
    func finish(_ effects: inout [ConnectionEffect])
}

extension LoadSink {
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .answered(_, let answer):
            answered(answer, &effects)
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
