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
        0x33ea_bc51_ca91_188e, 0xcc4c_df65_7c1b_7390, 0xd406_4ebb_64e7_209e, 0x7edb_abae_82e2_8dab,
        0x3e31_dc86_eecf_dc6f, 0x63b8_a263_90e4_7a95, 0x49f0_e85b_f4f8_8240, 0x35b9_c21e_d756_63b7,
        0x1dc5_5624_a6ba_f239, 0xb9e6_7b5a_0ef3_92a6, 0x12a4_d625_1fa0_06d4, 0x44ee_8ef6_e9ce_9acf,
        0xf66c_3bf8_5f29_cc60, 0x6e21_d35f_9162_8c24, 0xf51c_b4cf_ba13_d899, 0xca77_d343_a617_ba04,
        0x24ac_1c6c_21b0_ff5c, 0xdaff_a866_021e_0c64, 0xac6d_4c09_cb13_538c, 0xa52b_7be6_c0a4_d712,
    ]

    private static let sessionDigests: [UInt64] = [
        0x070f_d35c_3012_77c7, 0x1b7d_7d25_c8f0_1aec, 0x2546_af59_9153_9080, 0x4481_8c9f_cd3a_f8ef,
        0x9c57_a48b_1a8f_a34a, 0xc436_563f_12da_eee5, 0x7a63_9cc9_9e9d_1268, 0x082e_4744_09fb_2212,
        0x8613_3e56_1eed_6735, 0xd632_987c_6096_bcb5, 0xee79_af94_18f9_8090, 0x0be4_7a8a_3f8f_7f0d,
        0xb5ad_a545_3e4e_094c, 0x7a4d_2b38_a823_12bd, 0x8e2f_9041_0c9c_380d, 0xe1f2_4089_392c_4551,
        0xdfaa_5688_cf5e_26ca, 0x4320_f1f4_65cf_5548, 0x0732_512b_d29c_9d26, 0x5a51_f5ed_abaf_76db,
    ]
}
