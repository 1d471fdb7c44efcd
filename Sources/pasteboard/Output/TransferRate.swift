import PasteboardWire

/// The text of a transfer's progress. It reads no clock: the time is an argument.
struct TransferRate {
    /// The time before progress is shown, in milliseconds.
    static let delay: UInt64 = 1_000

    /// The time of the start in milliseconds, as all times here.
    private let start: UInt64
    private var count: UInt64

    init(at now: UInt64, count: UInt64 = 0) {
        start = now
        self.count = count
    }

    /// `copied: 1.0 GiB of 1.4 GiB, 500.0 MiB/s, 1 s left`, or nil in the first second.
    ///
    /// The remaining time is omitted if it does not fit, then the rate; what still does not fit is cut.
    ///
    /// - Parameters:
    ///   - total: nil if the size is not known.
    ///   - columns: the number of columns that there are for it; nil if that is not known.
    func text(_ verb: String, _ count: UInt64, of total: UInt64?, at now: UInt64, columns: Int? = nil) -> String? {
        let milliseconds = now - min(now, start)
        guard milliseconds >= Self.delay else { return nil }
        let all = total.map { " of \(ByteCount.text($0))" } ?? ""
        let moved = count - min(count, self.count)
        // Large counts are divided first, so that nothing overflows.
        let rate = moved < 1 << 50 ? moved * 1_000 / milliseconds : moved / (milliseconds / 1_000)
        var texts = ["\(verb): \(ByteCount.text(count))\(all)"]
        texts.append("\(texts[0]), \(ByteCount.text(rate))/s")
        if let total, rate > 0, total > count {
            texts.append("\(texts[1]), \(TimeSpan.text(seconds: (total - count) / rate + 1)) left")
        }
        let columns = max(0, columns ?? .max)
        return texts.last { $0.utf8.count <= columns } ?? String(texts[0].prefix(columns))
    }
}
