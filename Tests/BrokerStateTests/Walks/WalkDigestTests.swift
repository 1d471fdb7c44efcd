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
        0xC8AB_9868_627D_2700, 0x7870_CD21_C357_2C01, 0x6F79_8831_D7B3_3117, 0x3F40_11B2_527F_AF6D,
        0x0A2B_4EF9_EF7E_FDEC, 0xCBE7_6A8D_4197_2433, 0x1D4C_5225_BB4F_EEA1, 0x3FD1_8131_D8D3_155D,
        0x6274_9FBB_A266_E9A8, 0x9FC2_785B_96B7_E066, 0x58B0_C103_EE8A_2B44, 0x6C5B_9F6A_CF93_1B0F,
        0xD90B_5F2E_78DE_07E6, 0x7146_FBA2_CDE3_FCE6, 0x9F05_DD61_E770_17DC, 0xE950_D76F_9E64_E2B7,
        0x37C5_FF5A_3276_7223, 0x6494_987B_6943_A7E9, 0x69E4_1E57_4B2D_F606, 0x079E_A027_121D_B508,
    ]

    private static let sessionDigests: [UInt64] = [
        0x0B9B_9721_6CBC_F0D7, 0x662A_C908_DDDA_E663, 0xAA86_27A5_576E_EC88, 0x8494_AC52_E4A2_D4F6,
        0x5F6F_4B41_54F5_C310, 0x9161_819A_CBAE_C778, 0xC137_42A3_66D8_B483, 0xC23E_43E2_E755_FB46,
        0x2D45_B499_ECB0_72CA, 0xA64C_8F9D_67CC_0F67, 0xB6DF_B7A2_070B_6E95, 0x36CC_C7DB_E71F_1E05,
        0xF88E_B378_1970_1B4C, 0x6ABC_204F_6390_5336, 0x8DC2_8FA0_0F12_120D, 0xFCC1_2AD8_484D_4AA1,
        0xF04D_7296_88C1_B8ED, 0x3416_914B_665A_70DC, 0xF586_6B51_E50D_AC66, 0xFE50_DABC_F7C3_F391,
    ]
}
