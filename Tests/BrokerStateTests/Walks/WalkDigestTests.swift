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
        0xFE10_E21A_737E_37DB, 0x6EF5_59E5_D686_FE9C, 0x4226_FFED_2B09_0A34, 0xF01F_FF91_B0A7_6C00,
        0x3264_401A_2C17_F596, 0xCB2B_0BB9_0457_5BFD, 0xB253_A99C_5736_E8E6, 0xAF09_2450_293A_A2C7,
        0xC903_99B2_0E54_5F59, 0x40DC_6F61_7B94_3BE6, 0x39EE_BDC5_E237_A826, 0x1F61_8A07_2DFA_CC7D,
        0x980F_AF2F_A7F7_3830, 0x57F7_FD09_4E4B_305B, 0x0ACC_2E07_6730_F94B, 0x73B3_A9FD_397C_C5E8,
        0x6C8D_BA7D_91B3_1F80, 0x6613_6EEF_F5C0_0856, 0x87E7_FFBA_E62A_BF0E, 0xB158_466E_0808_8707,
    ]

    private static let sessionDigests: [UInt64] = [
        0x71BC_F2AB_096C_F98A, 0xDCC8_8F1F_0FCB_6723, 0x4ACD_57F2_F485_E8A1, 0xAD36_2D53_DC05_AFFE,
        0xFE4D_BE99_4BD7_FDB4, 0xFF20_B536_5CB8_CBFB, 0xAA72_904F_A923_6971, 0x2122_833C_31F4_4073,
        0x8AF6_DE46_3B4D_9C82, 0x0CF5_3804_F0D9_84BF, 0x168D_6902_5F79_06DB, 0x6FB3_7181_4A6B_2621,
        0x3435_18D8_78F4_49D3, 0xA998_188D_0FF2_FF2B, 0x4005_0091_7FF2_C2F5, 0x2A8C_7D70_095F_FD6A,
        0xE8BD_2E0A_1D5C_965D, 0xC7B3_5DDC_3605_C219, 0xF6C8_4CC1_B9F2_191A, 0x6D12_96E0_AFB5_4849,
    ]
}
