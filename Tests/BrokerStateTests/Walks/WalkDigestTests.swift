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
        0xc2f7_854d_d0da_2528, 0xf0ac_3ccc_f5e5_cf3d, 0x03c1_e8de_f65c_123b, 0x8e13_ec4e_2700_aa02,
        0x583f_d5eb_ca5d_09cb, 0x4244_af82_f56b_79eb, 0x4346_982c_cc44_dc16, 0x7b6f_f31b_7a52_035e,
        0xe4e5_edec_2ae6_f6d9, 0x6669_e5cf_f81d_f6f4, 0x0da9_4be9_8a2d_c9e5, 0xe2fa_1a36_de6b_4ddb,
        0x0ec7_7e35_d25c_b5ee, 0xf0cc_3a77_ea3f_a4b4, 0x0800_ae74_c7cd_75c0, 0x46e8_a12f_d952_ddd8,
        0xb1b4_dcaf_9c42_7b51, 0x68e4_9cf2_7862_0dd7, 0x2972_03f2_24fa_c70f, 0x098c_789f_4aad_d0f7,
    ]

    private static let sessionDigests: [UInt64] = [
        0x73e4_ffaa_1e1a_0c68, 0x4e00_e177_2bb5_c05c, 0x97d5_f0c7_c296_12e4, 0x8c61_9d9f_06eb_00fb,
        0xa1ff_d68f_c783_ac55, 0xfa76_ca2e_5c1d_df5f, 0xe444_dea2_4ee4_780e, 0xa1a4_49ff_e1f9_fed2,
        0x9aed_988d_cf3e_0d37, 0x49a3_2b55_351a_52be, 0xdc0f_4e56_3a71_1975, 0xbe71_fd80_5865_73b0,
        0x8412_dba8_d453_1a42, 0xe853_3c3f_eb86_08ed, 0xb208_4439_c02c_180b, 0xfb8c_0e29_23af_dab0,
        0xd8b2_bf43_617d_35a7, 0x976a_621c_50f3_82ed, 0x1d24_f592_eb1c_7f8e, 0x681b_c094_c06a_e86b,
    ]
}
