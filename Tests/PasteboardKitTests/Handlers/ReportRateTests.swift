import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.pure) struct ReportRateTests {
    @Test("After a pause a few reports are sent at once, and then ten a second")
    func rate() {
        var (rate, start) = (ReportRate(), 1_000 * ReportRate.interval)
        func count(after pause: UInt64) -> Int {
            start += pause
            return (0..<100).count { _ in rate.isDue(at: start) }
        }
        #expect(count(after: 0) == 11)
        #expect(count(after: ReportRate.interval - 1) == 0)
        #expect(count(after: 1) == 1)
        #expect(count(after: 3 * ReportRate.interval) == 3)
        #expect(count(after: 60 * ReportRate.interval) == 11)
    }
}
