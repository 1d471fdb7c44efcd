import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct MonotonicClockTests {
    @Test("Time left is rounded up and never negative")
    func clock() {
        let now = MonotonicClock.now()
        #expect(MonotonicClock.now() >= now)
        #expect(MonotonicClock.millisecondsLeft(until: 0) == 0)
        #expect(MonotonicClock.millisecondsLeft(until: .max) == .max)
        #expect((1...600_000).contains(MonotonicClock.millisecondsLeft(until: now + 600_000_000_000)))
        #expect(MonotonicClock.deadline(milliseconds: .max) == .max)
        #expect(MonotonicClock.bootMicroseconds() > 0)
    }
}
