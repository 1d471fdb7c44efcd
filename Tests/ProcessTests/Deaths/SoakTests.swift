import PasteboardTransport
import TestSupport
import Testing

/// Mixed work of many processes, and for longer in `.ci/long`.
///
/// `PASTEBOARD_TEST_SOAK_MINUTES` is the time; without it there are a few rounds.
@Suite(.processes) struct SoakTests {
    /// The memory in KiB by which the broker may grow after its first round.
    private static let mostGrowth = 8 << 10

    private static var minutes: Int? { System.environment("PASTEBOARD_TEST_SOAK_MINUTES").flatMap(Int.init) }

    @Test(
        "Mixed work with kills, stops and restarts leaves nothing at the broker, and no byte is wrong",
        .tags(.f21),
        arguments: Seeds.fixed(1)
    )
    func soak(seed: UInt64) throws {
        let rounds = thinned(2, full: 6)
        let soak = try Soak(seed: seed, restartsAfter: rounds - 1)
        let start = MonotonicClock.now()
        let deadline = Self.minutes.map { MonotonicClock.deadline(milliseconds: $0 * 60_000) }
        do {
            repeat {
                try soak.round()
            } while deadline.map { MonotonicClock.now() < $0 } ?? (soak.figures.rounds < rounds)
            try soak.end()
        } catch {
            Issue.record(error, "round \(soak.figures.rounds)")
        }
        #expect(Sanitizer.isActive || soak.figures.mostGrowth < Self.mostGrowth)
        guard Self.minutes != nil else { return }
        let figures = soak.figures
        let times = figures.canary.sorted()
        func time(_ percent: Int) -> String { "\(times[(times.count - 1) * percent / 100] / 1000) us" }
        print(
            """
            soak: seed \(seed), \((MonotonicClock.now() - start) / 1_000_000_000) s, \(figures.rounds) rounds
            soak: \(figures.processes) processes, \(figures.kills) killed, \(figures.stops) stopped, \
            \(figures.restarts) restarts of the broker
            soak: \(figures.loadsDone) loads done, \(figures.loadsFailed) failed, 0 left, 0 descriptors left
            soak: memory grew by at most \(figures.mostGrowth) KiB after the first round
            soak: the canary copied, pasted and loaded \(times.count) times, p50 \(time(50)), p99 \(time(99))
            """
        )
    }
}
