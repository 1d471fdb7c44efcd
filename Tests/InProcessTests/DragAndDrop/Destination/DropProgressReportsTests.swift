import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess) struct DropProgressReportsTests {
    private let start = ContinuousClock.now

    @Test("Reported counts only grow, even if the fraction decreases because work was added")
    func counting() {
        var reports = DropProgressReports()
        #expect(reports.next(fraction: 1, completed: 1, at: start) == 1)
        #expect(reports.next(fraction: 0.5, completed: 1, at: start + .seconds(1)) == 2)
        #expect(reports.next(fraction: 0.75, completed: 1, at: start + .seconds(2)) == 3)
        #expect(reports.next(fraction: 0.75, completed: 2, at: start + .seconds(3)) == 4)
    }

    @Test("Progress that has not begun or does not change is not reported")
    func standstill() {
        var reports = DropProgressReports()
        #expect(reports.next(fraction: 0, completed: 0, at: start) == nil)
        #expect(reports.next(fraction: 0.5, completed: 0, at: start) == 1)
        #expect(reports.next(fraction: 0.5, completed: 0, at: start + .seconds(60)) == nil)
    }

    @Test("Progress is reported at most once a second")
    func rate() {
        var reports = DropProgressReports()
        #expect(reports.next(fraction: 0.1, completed: 0, at: start) == 1)
        #expect(!reports.isDue(at: start + .milliseconds(999)))
        #expect(reports.next(fraction: 0.2, completed: 0, at: start + .milliseconds(999)) == nil)
        #expect(reports.isDue(at: start + .seconds(1)))
        #expect(reports.next(fraction: 0.3, completed: 0, at: start + .seconds(1)) == 2)
    }
}
