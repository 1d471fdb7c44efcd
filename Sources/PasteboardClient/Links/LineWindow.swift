import PasteboardWire

/// The bytes of a load that may be on a line at once: about those that the line carries in half a second, so that a new
/// copy after them does not wait for long. On a fast line the window grows quickly.
struct LineWindow {
    private static let sizes: ClosedRange<UInt64> = 64 << 10...4 << 20
    /// The bytes that all loads from one broker may have together. They wait here if their destinations stop reading.
    private static let total: UInt64 = 16 << 20
    /// The time in nanoseconds in which a window should arrive, beyond the round trip. In less than half of it, the
    /// next one is larger.
    private static let aim: UInt64 = 500_000_000

    private(set) var size = sizes.lowerBound
    private var received: UInt64 = 0
    /// The time until the first byte, which is mostly that of a round trip.
    private var latency: UInt64?
    private var round: (start: UInt64, end: UInt64)

    init(at now: UInt64) {
        round = (now, size)
    }

    /// The offset up to which the other broker may send.
    var limit: UInt64 { received.addingClamped(size) }

    /// - Parameter loads: the number of requests that share the line, most of them loads.
    mutating func receive(_ count: Int, at now: UInt64, sharedBy loads: Int = 1) {
        let latency = self.latency ?? now - min(now, round.start)
        self.latency = latency
        received = received.addingClamped(UInt64(count))
        guard received >= round.end else { return }
        let time = now - min(now, round.start.addingClamped(latency))
        let next = time < Self.aim / 2 ? size * 2 : time > Self.aim * 2 ? size / 2 : size
        let most = min(Self.sizes.upperBound, Self.total / UInt64(max(1, loads)))
        size = max(min(next, most), Self.sizes.lowerBound)
        round = (now, limit)
    }
}
