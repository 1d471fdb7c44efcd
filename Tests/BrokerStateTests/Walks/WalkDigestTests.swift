import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Digests of all frames to all peers and of all charges after each step. A change that keeps the broker's behaviour
/// keeps the digests. A change of behaviour changes the numbers here; a failing test prints the new ones.
@Suite("Digests of random walks", .pure) struct WalkDigestTests {
    private static let seedsPerDigest: UInt64 = 10

    @Test("Loads end and are charged as recorded", arguments: loadDigests.indices)
    func loads(_ index: Int) {
        var digest = FrameDigest()
        for seed in Self.seeds(index) {
            var walker = Walker(seed: seed)
            walker.broker.computesDigests = true
            for _ in 0..<400 {
                _ = walker.step()
                digest.add(walker.broker.held)
            }
            walker.finish()
            Self.add(walker.broker, to: &digest)
        }
        #expect(digest.value == Self.loadDigests[index])
    }

    /// Both ways of reading a load decide the same, send the same frames and charge the same.
    @Test("Loads that are read in place end and are charged as loads that are decoded", arguments: loadDigests.indices)
    func plainLoads(_ index: Int) {
        var digests = [FrameDigest(), FrameDigest()]
        for seed in Self.seeds(index) {
            for way in [0, 1] {
                var walker = Walker(seed: seed, namesTypes: true, readsLoadsInPlace: way == 0)
                walker.broker.computesDigests = true
                for _ in 0..<400 {
                    _ = walker.step()
                    digests[way].add(walker.broker.held)
                }
                walker.finish()
                Self.add(walker.broker, to: &digests[way])
            }
        }
        #expect(digests[0].value == digests[1].value)
    }

    @Test("Drag sessions end and are charged as recorded", arguments: sessionDigests.indices)
    func sessions(_ index: Int) {
        var digest = FrameDigest()
        for seed in Self.seeds(index) {
            var walker = SessionWalker(seed: seed)
            walker.broker.computesDigests = true
            for _ in 0..<400 {
                _ = walker.step()
                digest.add(walker.broker.held)
            }
            walker.finish()
            Self.add(walker.broker, to: &digest)
        }
        #expect(digest.value == Self.sessionDigests[index])
    }

    private static func seeds(_ index: Int) -> Range<UInt64> {
        let first = 10_000 + UInt64(index) * seedsPerDigest
        return first..<first + seedsPerDigest
    }

    private static func add(_ broker: StateHarness, to digest: inout FrameDigest) {
        for (peer, frames) in broker.digests.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            digest.add(peer.rawValue)
            digest.add(frames.value)
        }
        digest.add(broker.held)
    }

    private static let loadDigests: [UInt64] = [
        0x85d0_57ff_b5ba_4080, 0xbb3e_ec87_eb4c_9923, 0x4f07_c07e_39f6_fabe, 0x1c2a_c445_1b81_8150,
        0x0f47_353b_fc60_d83d, 0x36d6_d92e_c741_f362, 0x9135_cd20_40ab_534f, 0x8963_8fc0_cce7_c6c9,
        0x0f90_fa3e_9aaf_0e69, 0x7781_4358_fd82_64ec, 0x698f_a9af_8843_126d, 0x1aea_44f4_8d1f_56ee,
        0xd6a3_4e1a_4720_4f2c, 0x88a9_5996_dd31_9be7, 0x8a26_b3ff_197a_b411, 0x4ade_4884_c03e_2e07,
        0xd045_0a93_b324_f7a9, 0x49a9_b606_3dfe_c4af, 0x0af3_fd85_b9f1_c048, 0x665e_63d8_7d6a_fa93,
    ]

    private static let sessionDigests: [UInt64] = [
        0x7c33_2581_ce44_4efa, 0xb1a2_44d9_494b_e918, 0xe615_e67e_d597_0dde, 0x554a_e6f5_fe27_a9ec,
        0x0fb1_e0eb_0a63_8fa7, 0x7b35_c551_5fb9_4a3c, 0x665c_177c_4c05_82bf, 0x7486_528b_0867_7231,
        0xb4ba_d430_6811_86f7, 0x591a_2a49_3089_65d3, 0x8db1_9403_d2e8_cb96, 0xf59f_a785_272b_8a4d,
        0xa0eb_1cac_69e2_21d5, 0x2044_20ea_b59e_03f0, 0x07d5_cae7_110a_d313, 0x0bc0_2217_e09c_2495,
        0x07d5_234e_2f85_890a, 0xf2a1_8098_6423_c739, 0x2fef_e3d2_f1b7_ecb7, 0x2fc5_da26_b640_73a4,
    ]
}
