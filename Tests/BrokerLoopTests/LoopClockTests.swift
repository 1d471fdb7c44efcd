import TestSupport
import Testing

@testable import BrokerLoop

@Suite("The clock of deadlines", .pure) struct LoopClockTests {
    private let time = SteppedTime()
    private var clock: LoopClock

    init() {
        clock = LoopClock { [time] in time.now }
    }

    private mutating func wake(after milliseconds: UInt64, due: UInt64?) -> UInt64 {
        let start = clock.now
        time.advance(by: milliseconds)
        let isDue = clock.wake(due: due.map { start + $0 } ?? .max)
        #expect(isDue == (milliseconds >= due ?? .max))
        return clock.now - start
    }

    @Test("A wait that ends by an event or in time passes as long as it takes")
    mutating func waits() {
        #expect(wake(after: 10, due: nil) == 10)
        #expect(wake(after: 3_600_000, due: nil) == 3_600_000)
        #expect(wake(after: 500, due: 3_000) == 500)
        #expect(wake(after: 3_250, due: 3_000) == 3_250)
        #expect(clock.lost == 0)
    }

    @Test("After a stop the time goes on shortly before it was due, and passes as usual from then on", .tags(.f77))
    mutating func stop() {
        #expect(wake(after: 12_000, due: 3_000) == 2_750)
        #expect(clock.lost == 9_250)
        #expect(wake(after: 250, due: 250) == 250)
        #expect(wake(after: 40, due: nil) == 40)
    }

    @Test("A broker that always wakes late still meets its deadlines", .tags(.f81))
    mutating func slow() {
        for _ in 0..<10 { #expect(wake(after: 400, due: 0) == 250) }
        #expect(clock.lost == 1_500)
    }
}
