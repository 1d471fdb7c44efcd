import TestSupport
import Testing

@testable import pasteboard

@Suite(.pure) struct TransferRateTests {
    @Test("Progress is shown after one second, with the rate, and the remaining time if the size is known")
    func texts() {
        let rate = TransferRate(at: 5_000)
        #expect(rate.text("copied", 1 << 20, of: nil, at: 5_999) == nil)
        #expect(rate.text("copied", 1 << 20, of: nil, at: 6_000) == "copied: 1.0 MiB, 1.0 MiB/s")
        #expect(
            rate.text("copied", 4 << 20, of: 10 << 20, at: 7_000)
                == "copied: 4.0 MiB of 10.0 MiB, 2.0 MiB/s, 4 s left"
        )
        #expect(rate.text("copied", 10 << 20, of: 10 << 20, at: 7_000) == "copied: 10.0 MiB of 10.0 MiB, 5.0 MiB/s")
        #expect(
            rate.text("copied", 1 << 20, of: 1 << 30, at: 15_000)?.hasSuffix("102.4 KiB/s, 2 h 50 min left") == true
        )
    }

    @Test("Stalled transfers, wrong sizes and stopped clocks do no harm")
    func oddities() {
        let rate = TransferRate(at: 1_000, count: 7)
        #expect(rate.text("sent", 7, of: 9, at: 3_000) == "sent: 7 bytes of 9 bytes, 0 bytes/s")
        #expect(rate.text("sent", 3, of: 2, at: 3_000) == "sent: 3 bytes of 2 bytes, 0 bytes/s")
        #expect(rate.text("sent", 3, of: 2, at: 0) == nil)
        #expect(rate.text("sent", .max, of: .max, at: .max)?.hasPrefix("sent: 16.0 EiB of 16.0 EiB") == true)
        #expect(rate.text("sent", 1_000_000, of: .max, at: 3_000) != nil)
    }
}
