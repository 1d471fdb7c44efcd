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

    @Test("Frames of any kind, and whole drops among them, are answered and charged as recorded", arguments: indices)
    func frames(_ index: Int) {
        #expect(Self.digest(index, .frames) == Self.frameDigests[index])
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
        12_551_337_768_082_240_659, 11_457_584_028_164_095_527, 18_366_673_526_123_424_068, 2_370_532_108_378_872_925,
        8_315_103_364_967_931_186, 17_315_881_816_850_713_984, 8_347_081_801_201_845_669, 9_201_474_014_557_829_261,
        3_081_064_921_863_948_494, 5_667_700_240_034_691_603, 6_978_505_740_054_160_966, 12_829_305_846_672_760_945,
        13_797_464_185_728_009_528, 9_378_111_891_315_862_008, 13_651_097_794_030_789_274, 13_861_221_505_891_917_771,
        834_192_886_811_016_275, 6_816_154_815_084_694_639, 3_845_452_444_281_059_233, 6_046_914_936_677_942_352,
    ]

    private static let frameDigests: [UInt64] = [
        10_294_772_439_256_121_916, 18_356_828_277_853_167_807, 14_787_679_737_853_625_157, 8_660_043_427_930_428_637,
        11_886_033_511_937_713_937, 7_801_881_194_298_865_358, 7_954_470_499_792_503_231, 8_979_651_625_436_105_695,
        16_725_484_785_959_725_208, 15_251_899_943_263_116_539, 1_285_370_469_990_217_315, 15_985_802_829_192_708_530,
        15_896_325_745_152_795_289, 8_355_296_760_264_974_684, 4_613_083_698_445_353_627, 2_926_386_518_477_627_235,
        13_939_108_990_608_801_706, 3_903_127_219_938_116_081, 12_004_220_903_430_835_477, 1_543_085_074_063_901_530,
    ]
}
