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
        12_005_364_013_995_207_137, 6_915_728_868_869_580_067, 10_044_290_831_431_942_281, 5_489_188_767_969_353_531,
        18_181_903_211_808_008_683, 8_209_240_603_600_105_016, 10_883_409_614_216_267_663, 4_790_989_678_896_671_931,
        14_127_188_991_812_109_297, 14_633_115_102_814_913_397, 8_588_713_121_225_158_232, 3_783_879_407_417_478_972,
        1_429_388_854_657_907_860, 15_801_920_400_217_081_318, 17_040_695_006_236_272_108, 17_714_633_859_953_246_407,
        199_008_640_215_071_978, 15_511_167_276_639_029_784, 10_237_376_903_153_205_813, 10_768_670_898_576_464_033,
    ]

    private static let sessionDigests: [UInt64] = [
        2_888_985_622_957_534_233, 1_834_518_037_760_845_880, 5_330_424_030_427_582_087, 857_606_915_265_276_489,
        1_421_113_578_991_060_897, 1_988_369_002_912_581_268, 18_140_830_444_015_761_156, 1_466_034_945_564_409_487,
        15_558_739_561_460_159_036, 14_446_129_473_707_496_390, 909_615_447_305_950_336, 1_682_316_098_376_086_770,
        15_669_273_674_294_463_572, 9_678_751_301_587_307_393, 16_184_666_479_297_511_933, 3_242_348_830_792_007_758,
        13_120_568_669_599_821_669, 1_015_314_873_575_812_363, 14_393_901_287_113_278_028, 4_943_738_946_805_084_611,
    ]
}
