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
        0x2B51_7E17_C9DC_80D8, 0x8597_D19A_4EA6_C98F, 0xE487_A841_AED2_D69B, 0xE7B3_7BF5_1101_CE6D,
        0x1634_8A9F_A899_8777, 0x1CCD_F768_E481_2B8D, 0x45DF_A7A7_892F_A66D, 0xF487_889C_16A8_9FFF,
        0x5AAA_3F3E_DA40_7A12, 0x99A9_18AB_C857_7D2B, 0x7A2D_26D3_532B_9027, 0xF78C_B1C6_6FE7_A182,
        0x64E2_436A_D1B3_5D0D, 0x46F3_D45C_47D0_53D9, 0x5610_D350_1E38_274E, 0x9000_BEAF_6024_4A66,
        0xF3A5_71E1_D272_AECD, 0x9B7D_CE46_31D5_EB26, 0xEF49_017E_0340_B2A6, 0x7DEA_DE9A_8A9C_DAC2,
    ]

    private static let sessionDigests: [UInt64] = [
        0x71BC_F2AB_096C_F98A, 0xDCC8_8F1F_0FCB_6723, 0x4ACD_57F2_F485_E8A1, 0xAD36_2D53_DC05_AFFE,
        0xFE4D_BE99_4BD7_FDB4, 0xFF20_B536_5CB8_CBFB, 0xAA72_904F_A923_6971, 0x2122_833C_31F4_4073,
        0x8AF6_DE46_3B4D_9C82, 0x0CF5_3804_F0D9_84BF, 0x168D_6902_5F79_06DB, 0x6FB3_7181_4A6B_2621,
        0x3435_18D8_78F4_49D3, 0xA998_188D_0FF2_FF2B, 0x4005_0091_7FF2_C2F5, 0x2A8C_7D70_095F_FD6A,
        0xE8BD_2E0A_1D5C_965D, 0xC7B3_5DDC_3605_C219, 0xF6C8_4CC1_B9F2_191A, 0x6D12_96E0_AFB5_4849,
    ]
}
