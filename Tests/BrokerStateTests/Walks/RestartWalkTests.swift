import BrokerModel
import BrokerState
import TestSupport
import Testing

/// Brokers are killed at random points, and their successors restore what was saved.
@Suite(.pure) struct RestartWalkTests {
    /// The seeds for which a walk must cover each kind of event. With a random seed, it may miss some.
    static let fixedSeeds: [UInt64] = [1, 2, 3, 4]
    static let seeds = fixedSeeds + [UInt64.random(in: 1_000...(.max))]

    @Test(
        "After each death, all that was acknowledged and kept is there or was replaced, and nothing cleared comes back",
        .tags(.f86),
        arguments: seeds
    )
    func walk(_ seed: UInt64) {
        print("random walk with restarts, seed \(seed)")
        var walker = RestartWalker(seed: seed)
        for step in 0..<800 {
            let action = walker.step()
            let broken = walker.brokenRules()
            guard broken.isEmpty else {
                Issue.record("seed \(seed), step \(step), \(action): \(broken.joined(separator: "; "))")
                return
            }
        }
        walker.finish()
        #expect(walker.brokenRules() == [], "seed \(seed), at the end")
        #expect(walker.broker.held == .nothing, "seed \(seed)")
        #expect(walker.broker.openMemory == 0 && walker.broker.saved.isEmpty, "seed \(seed)")
        guard Self.fixedSeeds.contains(seed) else { return }
        let seen = "\(walker.restored) restored, \(walker.reclaimed) reclaimed, \(walker.prevented) prevented"
        let isTelling = walker.restored > 10 && walker.reclaimed > 10 && walker.prevented > 0
        #expect(isTelling, "seed \(seed): \(walker.restarts) restarts, \(seen): this walk shows little")
    }
}
