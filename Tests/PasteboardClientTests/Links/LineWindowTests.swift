import TestSupport
import Testing

@testable import PasteboardClient

@Suite(.pure) struct LineWindowTests {
    /// The window after 20 of its rounds over a line, in bytes.
    private static func size(bytesPerSecond rate: UInt64, roundTrip: UInt64) -> UInt64 {
        var (now, window) = (UInt64(1), LineWindow(at: 1))
        window.receive(0, at: now + roundTrip)
        for _ in 0..<20 {
            now += roundTrip + window.size * 1_000_000_000 / rate
            window.receive(Int(window.size), at: now)
        }
        return window.size
    }

    @Test(
        "A slow line has little in front of a new copy, and a fast one is filled",
        arguments: [
            // Bytes per second, milliseconds for a round trip, and the window in KiB.
            (16 << 10, 50, 64), (64 << 10, 50, 64), (1 << 20, 50, 256), (8 << 20, 50, 2_048), (1 << 30, 0, 4_096),
            (1 << 30, 600, 4_096), (64 << 10, 600, 64),
        ] as [(UInt64, UInt64, UInt64)]
    )
    func sizes(rate: UInt64, milliseconds: UInt64, kibibytes: UInt64) {
        #expect(Self.size(bytesPerSecond: rate, roundTrip: milliseconds * 1_000_000) == kibibytes << 10)
    }

    @Test("Loads that share a line share what may wait for their destinations", arguments: [(8, 2_048), (100, 163)])
    func shared(loads: Int, kibibytes: UInt64) {
        var window = LineWindow(at: 0)
        for round in 0...8 { window.receive(Int(window.size), at: UInt64(round), sharedBy: loads) }
        #expect(window.size >> 10 == kibibytes)
    }

    @Test("A line that has become slow gets a smaller window again, and no size overflows")
    func slower() {
        var window = LineWindow(at: 0)
        for round in 0...8 { window.receive(round == 0 ? 0 : Int(window.size), at: UInt64(round)) }
        #expect(window.size == 4 << 20)
        for round in 1...8 { window.receive(Int(window.size), at: UInt64(round) * 10_000_000_000) }
        #expect(window.size == 64 << 10)
        window.receive(.max, at: 0)
        window.receive(.max, at: 0)
        window.receive(.max, at: 0)
        #expect(window.limit == .max)
    }
}
