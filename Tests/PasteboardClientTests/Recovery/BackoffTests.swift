import PasteboardClient
import TestSupport
import Testing

/// The delays between the attempts to connect again.
@Suite(.pure) struct BackoffTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("The delays double from 10 ms to 30 s")
    func doubles() {
        var backoff = Backoff()
        var now: UInt64 = 5 * Self.second
        var delays: [Int] = []
        for _ in 0..<14 {
            let delay = backoff.delay(at: now, random: 0)
            delays.append(delay)
            now += UInt64(delay) * 1_000_000
        }
        #expect(
            delays == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 30_000, 30_000]
        )
    }

    @Test("Each delay is shortened at random by at most a half")
    func jitter() {
        for (random, expected) in [(0, 10), (0.5, 8), (1, 5), (-3, 10), (7, 5)] {
            var backoff = Backoff()
            #expect(backoff.delay(at: 0, random: random) == expected)
        }
        for _ in 0..<100 {
            var backoff = Backoff()
            #expect((5...10).contains(backoff.delay()))
        }
    }

    @Test(
        "The delays begin anew after twice the next delay without an attempt, and at least half a second",
        arguments: [3, 13]
    )
    func calm(attempts: Int) {
        let (calm, next) = attempts == 3 ? (500, 80) : (60_000, 30_000)
        for (wait, expected) in [(calm - 1, next), (calm, 10)] {
            var backoff = Backoff()
            var now: UInt64 = 0
            for _ in 0..<attempts { now += UInt64(backoff.delay(at: now, random: 0)) * 1_000_000 }
            #expect(backoff.delay(at: now + UInt64(wait) * 1_000_000, random: 0) == expected)
        }
    }
}
