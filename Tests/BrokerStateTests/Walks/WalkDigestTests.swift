import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Digests of all frames to all peers and of all charges after each step. A change that keeps the broker's behaviour
/// keeps the digests. A change of behaviour changes the numbers here; a failing test prints the new ones.
@Suite("Digests of random walks", .pure) struct WalkDigestTests {
    private static let seedsPerDigest: UInt64 = 10
    private static let indices = 0..<thinned(4, full: 20)

    @Test("Loads end and are charged as recorded", arguments: indices)
    func loads(_ index: Int) {
        #expect(Self.digest(index, .boards) == Self.loadDigests[index])
    }

    /// Both ways of reading a load decide the same, send the same frames and charge the same.
    @Test("Loads that are read in place end and are charged as loads that are decoded", arguments: indices)
    func plainLoads(_ index: Int) {
        let inPlace = Self.digest(index, .boards, form: 4)
        #expect(inPlace == Self.digest(index, .boards, form: 4, readsLoadsInPlace: false))
    }

    @Test("Drag sessions end and are charged as recorded", arguments: indices)
    func sessions(_ index: Int) {
        #expect(Self.digest(index, .sessions) == Self.sessionDigests[index])
    }

    /// - Parameter form: the variant of the theme; the seed adds its part.
    private static func digest(
        _ index: Int,
        _ theme: Walker.Theme,
        form: UInt8 = 0,
        readsLoadsInPlace: Bool = true
    ) -> UInt64 {
        var digest = FrameDigest()
        for seed in seeds(index) {
            let form = form | UInt8(seed & 1)
            var walker = Walker(theme, seed: seed, form: form, readsLoadsInPlace: readsLoadsInPlace)
            walker.broker.computesDigests = true
            for _ in 0..<400 {
                _ = walker.step()
                digest.add(walker.broker.held)
            }
            _ = walker.finish()
            add(walker.broker, to: &digest)
        }
        return digest.value
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
        0xe12e_7307_2338_cb06, 0xf499_3d59_da18_373a, 0x4d8c_129c_f9ba_8c14, 0xc8aa_81b1_55bb_3536,
        0x8596_e2ad_e1c5_fa0a, 0x07d4_347a_f755_1c00, 0xf346_94d6_2f15_8219, 0x1a8a_a262_3c05_8bf2,
        0x9ba4_131d_c7af_5f95, 0xb7db_5915_22f1_c63f, 0x4d59_3ac0_68a8_34c8, 0xadf4_2d80_8a10_8551,
        0x5529_edd0_29da_8f98, 0xa718_13ee_bc2e_15ef, 0xb374_0499_a989_244d, 0x3907_8cf8_223c_0190,
        0x6614_cdce_ea68_64e6, 0x9535_6b48_ddd3_7111, 0xa0e9_4c21_78a8_45fd, 0x2e03_23e5_2b47_bf37,
    ]

    private static let sessionDigests: [UInt64] = [
        0x070f_d35c_3012_77c7, 0x1b7d_7d25_c8f0_1aec, 0x2546_af59_9153_9080, 0x4481_8c9f_cd3a_f8ef,
        0x9c57_a48b_1a8f_a34a, 0xc436_563f_12da_eee5, 0x7a63_9cc9_9e9d_1268, 0x082e_4744_09fb_2212,
        0x8613_3e56_1eed_6735, 0xd632_987c_6096_bcb5, 0xee79_af94_18f9_8090, 0x0be4_7a8a_3f8f_7f0d,
        0xb5ad_a545_3e4e_094c, 0x7a4d_2b38_a823_12bd, 0x8e2f_9041_0c9c_380d, 0xe1f2_4089_392c_4551,
        0xdfaa_5688_cf5e_26ca, 0x4320_f1f4_65cf_5548, 0x0732_512b_d29c_9d26, 0x5a51_f5ed_abaf_76db,
    ]
}
