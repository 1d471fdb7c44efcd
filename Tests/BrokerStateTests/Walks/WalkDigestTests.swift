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
        0xe1ce_a9f5_6f65_c76b, 0x3039_2563_f694_b3b2, 0xa045_58c4_da76_b352, 0xce4b_bbc1_54f9_7d61,
        0xab0b_5263_a5e9_3455, 0x317c_d1a9_c6db_08c6, 0xefe7_4359_f930_6fa2, 0x7b6f_f31b_7a52_035e,
        0x4b08_159d_5c89_c120, 0xeca5_15e5_0884_a7c7, 0xa008_687c_57b7_ab7b, 0xe2fa_1a36_de6b_4ddb,
        0x5d58_7de5_fd1c_9a99, 0x0e86_0430_be28_d4da, 0xda22_3260_9bd6_3b2d, 0x8e8a_c5b4_ef1a_2dc4,
        0xd0d0_4aaa_8a0f_6a87, 0x68e4_9cf2_7862_0dd7, 0xfa61_0cb5_9c91_3940, 0x0b3d_59ed_73ab_6cdf,
    ]

    private static let sessionDigests: [UInt64] = [
        0x73e4_ffaa_1e1a_0c68, 0x4e00_e177_2bb5_c05c, 0x97d5_f0c7_c296_12e4, 0x8c61_9d9f_06eb_00fb,
        0xa1ff_d68f_c783_ac55, 0xfa76_ca2e_5c1d_df5f, 0xe444_dea2_4ee4_780e, 0xa1a4_49ff_e1f9_fed2,
        0x9aed_988d_cf3e_0d37, 0x49a3_2b55_351a_52be, 0xdc0f_4e56_3a71_1975, 0xbe71_fd80_5865_73b0,
        0x8412_dba8_d453_1a42, 0xe853_3c3f_eb86_08ed, 0xb208_4439_c02c_180b, 0xfb8c_0e29_23af_dab0,
        0xd8b2_bf43_617d_35a7, 0x976a_621c_50f3_82ed, 0x1d24_f592_eb1c_7f8e, 0x681b_c094_c06a_e86b,
    ]
}
