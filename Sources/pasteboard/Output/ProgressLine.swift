import PasteboardTransport

/// A line of standard error that is written over while something goes on. Only a terminal sees it.
final class ProgressLine {
    /// Between two changes, in milliseconds: nobody reads faster.
    private static let interval = 100

    private let isTerminal = System.isTerminal(2) && System.environment("TERM") != "dumb"
    private var isShown = false
    private var nextTime: UInt64 = 0

    /// `count` bytes have come or gone, of `total` if that is known.
    func show(_ what: String, _ count: UInt64, of total: UInt64?) {
        guard self.isTerminal, MonotonicClock.now() >= self.nextTime else { return }
        let all = total.map { " of \(ByteCount.text($0))" } ?? ""
        let line = VisibleText.line("\(what): \(ByteCount.text(count))\(all)")
        try? System.write(Array("\r\(line)\u{1B}[K".utf8).span, to: 2)
        self.isShown = true
        self.nextTime = MonotonicClock.deadline(milliseconds: Self.interval)
    }

    /// Before anything else is written, and at the end.
    func clear() {
        guard self.isShown else { return }
        try? System.write(Array("\r\u{1B}[K".utf8).span, to: 2)
        self.isShown = false
    }
}
