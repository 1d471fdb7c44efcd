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
    /// - Parameter total: nil if the size is not known.
    func text(_ verb: String, _ count: UInt64, of total: UInt64?, at now: UInt64) -> String? {
        let milliseconds = now - min(now, start)
        guard milliseconds >= Self.delay else { return nil }
        let all = total.map { " of \(ByteCount.text($0))" } ?? ""
        let moved = count - min(count, self.count)
        // Large counts are divided first, so that nothing overflows.
        let rate = moved < 1 << 50 ? moved * 1_000 / milliseconds : moved / (milliseconds / 1_000)
        var text = "\(verb): \(ByteCount.text(count))\(all), \(ByteCount.text(rate))/s"
        if let total, rate > 0, total > count { text += ", \(Self.duration((total - count) / rate + 1)) left" }
        return text
    }

    private static func duration(_ seconds: UInt64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }
}
