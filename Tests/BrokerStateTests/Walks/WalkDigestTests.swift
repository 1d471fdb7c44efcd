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
        0xBE45_CD8D_C7A0_00E4, 0xD2B4_CAE5_C875_D024, 0x2484_FF73_3476_82CD, 0xDB06_88AE_77EC_2FD6,
        0xCF2D_F878_760E_D48E, 0xD477_312A_34A0_669C, 0x5DA7_AF18_1550_AA5B, 0x6843_5EF6_7D0E_F311,
        0x73A5_F6C8_89F1_BD41, 0xD4F3_565D_86ED_D0A1, 0x19CA_B175_179D_0A58, 0xF6C4_CC56_BE64_366D,
        0x782B_30A6_5C26_3D20, 0x57F7_FD09_4E4B_305B, 0xE337_A423_C673_5A7C, 0x03F5_0171_D0A4_F9C1,
        0xECBC_B3C8_189F_BB8B, 0xC662_DBD4_6494_03B9, 0x1E77_824B_CC80_1AC7, 0xB158_466E_0808_8707,
    ]

    private static let sessionDigests: [UInt64] = [
        0x71BC_F2AB_096C_F98A, 0xDCC8_8F1F_0FCB_6723, 0x4ACD_57F2_F485_E8A1, 0xAD36_2D53_DC05_AFFE,
        0xFE4D_BE99_4BD7_FDB4, 0xFF20_B536_5CB8_CBFB, 0xAA72_904F_A923_6971, 0x2122_833C_31F4_4073,
        0x8AF6_DE46_3B4D_9C82, 0x0CF5_3804_F0D9_84BF, 0x168D_6902_5F79_06DB, 0x6FB3_7181_4A6B_2621,
        0x3435_18D8_78F4_49D3, 0xA998_188D_0FF2_FF2B, 0x4005_0091_7FF2_C2F5, 0x2A8C_7D70_095F_FD6A,
        0xE8BD_2E0A_1D5C_965D, 0xC7B3_5DDC_3605_C219, 0xF6C8_4CC1_B9F2_191A, 0x6D12_96E0_AFB5_4849,
    ]
}
