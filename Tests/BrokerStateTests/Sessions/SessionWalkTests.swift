import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Several sources and destinations send random frames of drag sessions, valid and invalid.
@Suite("Random walks of drag sessions", .pure) struct SessionWalkTests {
    /// The seeds for which a walk must contain a drop. With a random seed, it may contain none.
    static let fixedSeeds: [UInt64] = [574_882_921_945_164_383, 1, 2, 3, 4, 5, 6]
    static let seeds = fixedSeeds + [UInt64.random(in: 1_000...(.max))]

    @Test(
        "Whatever sources and destinations send, each is sent its frames in order, and nothing is left",
        arguments: seeds
    )
    func walk(_ seed: UInt64) {
        print("random sessions with seed \(seed)")
        var walker = SessionWalker(seed: seed)
        for step in 0..<1_200 {
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
        guard Self.fixedSeeds.contains(seed) else { return }
        #expect(walker.ledger.performs > 0, "seed \(seed): a walk without drops shows nothing")
    }
}
