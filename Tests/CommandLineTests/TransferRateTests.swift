import PasteboardWire
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

    @Test("In a narrow terminal the remaining time is omitted, then the rate, and the rest is cut")
    func widths() {
        let rate = TransferRate(at: 5_000)
        let whole = "copied: 4.0 MiB of 10.0 MiB, 2.0 MiB/s, 4 s left"
        for (columns, length) in [
            (80, 48), (48, 48), (47, 38), (38, 38), (37, 27), (27, 27), (26, 26), (1, 1), (-1, 0),
        ] {
            let text = rate.text("copied", 4 << 20, of: 10 << 20, at: 7_000, columns: columns)
            #expect(text == String(whole.prefix(length)), "\(columns) columns")
        }
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

    @Test("Durations have at most two units")
    func durations() {
        let texts: [(UInt64, String)] = [
            (0, "0 s"), (1, "1 ms"), (999, "999 ms"), (1_000, "1 s"), (1_550, "1.5 s"), (59_990, "59.9 s"),
            (60_000, "1 min"), (104_419, "1 min 44 s"), (3_600_000, "1 h"), (10_259_000, "2 h 50 min"),
            (90_000_000, "1 d 1 h"), (.max, "213503982334 d 14 h"),
        ]
        for (milliseconds, text) in texts { #expect(TimeSpan.text(milliseconds: milliseconds) == text) }
    }
}
