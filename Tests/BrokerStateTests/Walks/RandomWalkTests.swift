import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Several peers send random frames, valid and invalid. The invariants are checked after each step.
@Suite(.pure) struct RandomWalkTests {
    /// The seeds for which a walk must cover each kind of event. With a random seed, it may miss some.
    static let fixedSeeds: [UInt64] = [1, 2, 3, 4, 5, 6]
    static let seeds = fixedSeeds + [UInt64.random(in: 1_000...(.max))]

    @Test(
        "Whatever peers send, and in whatever order they die, nothing breaks, leaks or ends twice",
        .tags(.f20),
        arguments: seeds
    )
    func walk(_ seed: UInt64) {
        print("random walk with seed \(seed)")
        var walker = Walker(seed: seed, leavesContents: seed % 3 != 0)
        for step in 0..<3_000 {
            let action = walker.step()
            let broken = walker.brokenRules()
            guard broken.isEmpty else {
                Issue.record("seed \(seed), step \(step), \(action): \(broken.joined(separator: "; "))")
                return
            }
        }
        walker.finish()
        #expect(walker.brokenRules().isEmpty, "seed \(seed), at the end")
        #expect(walker.broker.held == .nothing, "seed \(seed)")
        #expect(walker.broker.openMemory == 0, "seed \(seed)")
        guard Self.fixedSeeds.contains(seed) else { return }
        #expect(walker.loadsSeen > 100, "seed \(seed): a walk without loads shows nothing")
        #expect(walker.changesSeen > 20, "seed \(seed): a walk without changes of watched boards shows little")
        let isLeft = walker.handOversSeen > 0 && walker.reclaimsSeen > 0
        let left = "\(walker.handOversSeen) hand-overs, \(walker.reclaimsSeen) reclaims"
        #expect(isLeft || seed % 3 == 0, "seed \(seed): \(left): this walk shows little")
        #expect(walker.cachedSteps > 100, "seed \(seed): a walk without cached loads shows little")
    }
}
