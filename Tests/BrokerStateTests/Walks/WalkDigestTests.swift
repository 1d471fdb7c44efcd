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
        0x5B7B_50F3_3143_539B, 0x8715_B0EF_C524_2EEE, 0x949B_20FC_91D4_0670, 0x8AC2_128C_A05E_4A35,
        0x3D29_97E1_CECA_024C, 0x5A9B_DA2A_B3C8_8808, 0xCDB0_08F7_5A6F_4F39, 0x951C_E7F1_B131_8C00,
        0x2441_1CED_38B7_F2CF, 0x3F3A_28B5_B8B3_C63E, 0xC725_B1F9_7AA9_9EFA, 0x7610_9754_38D7_616F,
        0x8FB1_8BD2_60D0_5E1A, 0x784A_F014_1257_8690, 0xF51E_CFF9_6119_683C, 0x6D47_8B86_ADE4_CA62,
        0xD375_7C93_F63D_BBA4, 0xAA97_B792_BE1F_28C2, 0x0112_3F45_3855_AC88, 0x5BC3_F3A8_17A1_1EE2,
    ]

    private static let sessionDigests: [UInt64] = [
        0x0B9B_9721_6CBC_F0D7, 0x662A_C908_DDDA_E663, 0xAA86_27A5_576E_EC88, 0x8494_AC52_E4A2_D4F6,
        0x5F6F_4B41_54F5_C310, 0x9161_819A_CBAE_C778, 0xC137_42A3_66D8_B483, 0xC23E_43E2_E755_FB46,
        0x2D45_B499_ECB0_72CA, 0xA64C_8F9D_67CC_0F67, 0xB6DF_B7A2_070B_6E95, 0x36CC_C7DB_E71F_1E05,
        0xF88E_B378_1970_1B4C, 0x6ABC_204F_6390_5336, 0x8DC2_8FA0_0F12_120D, 0xFCC1_2AD8_484D_4AA1,
        0xF04D_7296_88C1_B8ED, 0x3416_914B_665A_70DC, 0xF586_6B51_E50D_AC66, 0xFE50_DABC_F7C3_F391,
    ]
}
