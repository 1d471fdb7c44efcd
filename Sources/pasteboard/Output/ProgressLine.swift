import PasteboardTransport

/// The progress of a transfer on standard error, if that is a terminal: one line that is overwritten.
final class ProgressLine: Sendable {
    private struct State {
        var rate: TransferRate?
        var isShown = false
        var nextTime: UInt64 = 0
    }

    /// The shortest time between two updates, in milliseconds.
    private static let interval: UInt64 = 100

    private let isTerminal = System.isTerminal(2) && System.environment("TERM") != "dumb"
    private let state = Lock(State())

    /// - Parameters:
    ///   - verb: `copied`, `received`.
    ///   - total: nil if the size is not known.
    func show(_ verb: String, _ count: UInt64, of total: UInt64?) {
        guard isTerminal else { return }
        let now = MonotonicClock.now() / 1_000_000
        let (rate, nextTime) = state.withLock { state in
            let rate = state.rate ?? TransferRate(at: now, count: count)
            state.rate = rate
            return (rate, state.nextTime)
        }
        // A line that fills the terminal or is longer would be wrapped, and only its last part overwritten. The
        // terminal may have been resized since the last update.
        let columns = System.terminalColumns(2).map { $0 - 1 }
        guard now >= nextTime, let text = rate.text(verb, count, of: total, at: now, columns: columns) else { return }
        try? System.write(Array("\r\(VisibleText.line(text))\u{1B}[K".utf8).span, to: 2)
        state.withLock { (state) in (state.isShown, state.nextTime) = (true, now + Self.interval) }
    }

    /// Removes the line, before anything else is written.
    func clear() {
        guard state.withLock({ exchange(&$0.isShown, with: false) }) else { return }
        try? System.write(Array("\r\u{1B}[K".utf8).span, to: 2)
    }

    /// Removes the line at the end of a transfer. The next call of `show` begins another one.
    func finish() {
        clear()
        state.withLock { $0.rate = nil }
    }
}
