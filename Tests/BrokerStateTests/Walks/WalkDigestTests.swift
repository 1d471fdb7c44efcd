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
        12_551_337_768_082_240_659, 11_457_584_028_164_095_527, 18_366_673_526_123_424_068, 2_370_532_108_378_872_925,
        8_315_103_364_967_931_186, 17_315_881_816_850_713_984, 8_347_081_801_201_845_669, 9_201_474_014_557_829_261,
        3_081_064_921_863_948_494, 5_667_700_240_034_691_603, 6_978_505_740_054_160_966, 12_829_305_846_672_760_945,
        13_797_464_185_728_009_528, 9_378_111_891_315_862_008, 13_651_097_794_030_789_274, 13_861_221_505_891_917_771,
        834_192_886_811_016_275, 6_816_154_815_084_694_639, 3_845_452_444_281_059_233, 6_046_914_936_677_942_352,
    ]

    private static let sessionDigests: [UInt64] = [
        18_392_416_580_268_663_263, 7_967_984_186_813_990_482, 8_572_688_074_255_756_570, 1_928_252_796_190_798_934,
        17_604_571_877_874_001_833, 14_439_302_051_334_201_460, 8_236_253_853_318_142_722, 2_524_021_867_515_330_783,
        3_970_601_306_190_252_193, 3_134_980_622_026_341_493, 12_829_869_310_827_173_082, 12_937_239_296_229_128_289,
        18_400_552_493_805_685_528, 2_326_750_943_277_902_552, 18_026_578_800_398_097_794, 2_124_746_972_952_721_754,
        1_409_428_961_224_706_124, 3_126_509_018_028_875_507, 11_713_717_405_019_130_760, 11_305_349_420_856_797_720,
    ]
}
