import PasteboardTransport

/// The type and start time of a load, for the line that reports its end.
struct AskRecord {
    let type: String
    private let startedAt = MonotonicClock.now()

    init(_ type: String) {
        self.type = type
    }

    /// `public.png: 3.0 MiB in 12 ms: done`
    func line(_ byteCount: UInt64, _ outcome: String) -> String {
        let milliseconds = (MonotonicClock.now() - startedAt) / 1_000_000
        return "\(type): \(ByteCount.text(byteCount)) in \(milliseconds) ms: \(outcome)"
    }
}
