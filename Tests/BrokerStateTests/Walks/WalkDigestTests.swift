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
        0x05FD_C7D5_705B_45E2, 0xD3C5_5B59_9AD1_88AF, 0x51A2_986D_AA08_9B8F, 0xA468_34F5_E035_19AC,
        0x1A13_FD82_6ED9_A43B, 0x569C_0132_10A1_9109, 0x4C06_A77D_1766_28D2, 0x57C7_7D3F_49A8_A817,
        0x5068_B1CA_2603_E5A3, 0xCC27_D2F0_B813_E60B, 0x7B74_26F3_B623_447F, 0x6FF5_784C_F1CD_0573,
        0x37EB_7EC1_DB43_98CF, 0x7BAD_D070_1A49_64A0, 0xF861_CADF_C8F2_2C2E, 0x7EB6_F0B6_3145_7473,
        0xF7A5_DA47_C1BD_7EF3, 0x36BE_C722_10CD_DB52, 0xA02E_E849_E6A1_26D5, 0xCDB3_318F_C898_DD93,
    ]

    private static let sessionDigests: [UInt64] = [
        0x1E2D_F7D8_2C11_DE39, 0x0674_8234_F5C4_DFEE, 0xE3DB_BEE4_4B96_BE24, 0x5775_6054_8511_17B7,
        0x949A_46ED_56FA_413B, 0x1464_3851_8DB1_99AD, 0xF693_5447_D7DF_9DA4, 0x0021_ECC5_C07E_1C66,
        0xDCCB_579B_634C_EFE1, 0xD708_CF04_6914_FDA9, 0x6D6D_93D6_6D75_BC45, 0xC64D_65FD_3347_8537,
        0xAF74_7386_A271_A7B8, 0xECAD_D99C_9326_ACDB, 0x1AAB_50E2_1F03_F440, 0x46EB_EDBA_F528_E90E,
        0xC30A_4D46_5C58_CAF7, 0xBE6C_EDCF_C1AD_9B99, 0xA91D_24BE_EF7C_362A, 0x5A37_89FA_1601_5536,
    ]
}
