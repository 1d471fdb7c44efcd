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
        18_064_966_966_059_117_215, 17_324_477_014_857_053_643, 6_114_964_897_855_104_697, 2_379_364_766_153_631_907,
        12_467_887_820_675_309_761, 7_804_562_341_538_719_989, 9_966_589_111_082_078_801, 17_337_769_316_204_522_966,
        11_324_576_814_006_320_282, 16_532_740_548_130_587_793, 2_300_643_697_051_237_918, 10_924_742_413_792_332_407,
        11_012_048_657_066_426_071, 8_904_898_244_904_191_131, 15_498_880_795_065_968_676, 6_707_607_681_234_020_425,
        9_403_061_786_800_546_767, 15_222_151_167_411_793_159, 5_523_884_849_441_115_838, 16_783_728_809_946_376_857,
    ]

    private static let sessionDigests: [UInt64] = [
        17_412_114_145_412_858_463, 6_364_877_264_403_619_624, 3_963_602_346_251_980_348, 1_507_862_794_070_093_899,
        17_869_315_629_789_378_373, 12_902_229_889_788_484_990, 3_909_434_913_272_442_209, 2_205_770_872_412_270_687,
        10_322_647_684_149_153_576, 2_222_090_879_917_648_167, 3_998_751_727_632_312_237, 8_388_800_105_968_660_413,
        3_835_922_106_675_275_273, 3_939_506_458_464_520_209, 3_438_341_802_852_852_291, 2_901_160_109_688_492_552,
        9_949_728_239_246_573_490, 3_077_772_793_577_690_747, 11_529_645_499_840_236_904, 14_389_600_268_721_883_094,
    ]
}
