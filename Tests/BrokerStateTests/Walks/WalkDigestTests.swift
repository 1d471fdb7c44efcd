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
        0xfb84_9aa3_82cd_a533, 0x2577_9b4e_72d7_1579, 0xe09a_e0be_045e_d6d8, 0x0aaf_64ef_8136_f690,
        0xd352_5575_1d79_425e, 0x891f_ce35_90c0_aa07, 0xbde6_c63d_bf87_1646, 0xa68d_3aea_20ce_d076,
        0xc38d_2d25_17de_a2ef, 0xddce_3d37_4377_53f8, 0x2fab_3cb8_2eae_4b81, 0xcfba_fc0a_17ac_ca89,
        0xecc6_708c_4124_f6a9, 0xe13c_de38_2cea_b6c0, 0x8a7b_7cff_7198_bc22, 0xc1b5_cac2_ce67_7741,
        0xec35_83e5_e4c5_55c0, 0x55ad_9422_78e5_0fcc, 0xf75d_357a_c2e4_fcf7, 0xf22b_5a30_ec5c_2cd6,
    ]

    private static let sessionDigests: [UInt64] = [
        0x070f_d35c_3012_77c7, 0x1b7d_7d25_c8f0_1aec, 0x2546_af59_9153_9080, 0x4481_8c9f_cd3a_f8ef,
        0x9c57_a48b_1a8f_a34a, 0xc436_563f_12da_eee5, 0x7a63_9cc9_9e9d_1268, 0x082e_4744_09fb_2212,
        0x8613_3e56_1eed_6735, 0xd632_987c_6096_bcb5, 0xee79_af94_18f9_8090, 0x0be4_7a8a_3f8f_7f0d,
        0xb5ad_a545_3e4e_094c, 0x7a4d_2b38_a823_12bd, 0x8e2f_9041_0c9c_380d, 0xe1f2_4089_392c_4551,
        0xdfaa_5688_cf5e_26ca, 0x4320_f1f4_65cf_5548, 0x0732_512b_d29c_9d26, 0x5a51_f5ed_abaf_76db,
    ]
}
