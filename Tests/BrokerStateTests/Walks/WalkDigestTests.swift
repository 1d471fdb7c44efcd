import BrokerState
import PasteboardWire
import Testing

/// Digests of all frames to all peers and of all charges after each step. A change that keeps the broker's behaviour
/// keeps the digests. A change of behaviour changes the numbers here; a failing test prints the new ones.
@Suite("Digests of random walks") struct WalkDigestTests {
    private static let seedsPerDigest: UInt64 = 10

    @Test("Loads end and are charged as recorded", arguments: loadDigests.indices)
    func loads(_ index: Int) {
        var digest = FrameDigest()
        for seed in Self.seeds(index) {
            var walker = Walker(seed: seed)
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
        0x84F0_F46F_B0B2_5E30, 0x0E49_2805_A1D6_8025, 0xBC9C_5046_BCE5_C53A, 0x2E5D_FAEA_6D67_B3A7,
        0x6A9B_E5A2_F0E7_9C5D, 0x7977_7FE7_3CC2_1730, 0x5F86_3A8C_10D0_E65F, 0x5F9F_8D8A_DD8E_E9E0,
        0x317C_2391_8C0D_F4B5, 0x6295_3C99_F761_9EBF, 0x5CE3_10FB_36B0_D589, 0x4C51_2567_692B_B62F,
        0xFBEC_732E_72A2_060A, 0x208E_D7E5_1774_7AA2, 0x2E05_0529_2A4D_3B9B, 0x5357_93C8_A7F1_26FD,
        0xF12C_9D80_DAC2_7C46, 0xB7B9_92F1_F291_11D0, 0x0B73_56D2_AC36_41B3, 0x3089_7092_FB1C_AF31,
    ]

    private static let sessionDigests: [UInt64] = [
        0xE765_A7B5_F110_9520, 0x99FB_80B4_B5E2_8B51, 0xCBB8_8D70_9402_8262, 0x2C67_521E_CD85_BF81,
        0x8E0F_F639_57DF_731A, 0xFF20_B536_5CB8_CBFB, 0x1C3C_0016_5ED5_9636, 0x2122_833C_31F4_4073,
        0x8AF6_DE46_3B4D_9C82, 0x0CF5_3804_F0D9_84BF, 0xD04D_0975_6C7B_136E, 0x49E7_D2E0_D8E8_5353,
        0x3435_18D8_78F4_49D3, 0x7429_814D_FA61_4032, 0x61FF_369D_34C6_0121, 0x2A8C_7D70_095F_FD6A,
        0xB579_73A4_AC0F_E63D, 0xC7B3_5DDC_3605_C219, 0x7340_4A30_52A8_72D9, 0x6ABE_C6A5_4308_BAD9,
    ]
}
