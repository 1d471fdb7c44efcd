import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Contents that are written again after a lost broker.
@Suite(.pure) struct StandingWriteTests {
    private func committed(_ count: UInt64) -> Committed {
        var committed = Committed()
        (committed.changeCount, committed.epoch) = (count, 7)
        return committed
    }

    private func write(_ terms: (inout ContentTerms) -> Void) -> Write {
        var write = Write()
        write.board = "notes"
        var chosen = ContentTerms()
        terms(&chosen)
        write.terms = chosen
        return write
    }

    @Test("Contents come back under the change count of their first write")
    func changeCount() {
        var plain = Write()
        plain.board = "notes"
        (plain.ifChangeCount, plain.evictsNothing) = (40, true)
        var standing = StandingWrite(plain)
        #expect(standing.verb == .standing && standing.committed == nil)
        standing.commit(committed(41), at: 0)
        standing.commit(committed(50), at: 0)
        #expect(standing.committed?.changeCount == 41)
        var expected = Write()
        (expected.board, expected.reclaimsChangeCount, expected.reclaimsEpoch) = ("notes", 41, 7)
        expected.requires = [Feature.reclaim.rawValue]
        #expect(standing.again(at: .max) == expected)
    }

    @Test("Contents come back for the rest of their time, and not after it")
    func time() {
        var standing = StandingWrite(write { ($0.expiresMilliseconds, $0.isTransient) = (1_000, true) })
        standing.commit(committed(41), at: 1_000_000)
        for (time, left) in [(0, 1_000), (1_400_000, 600), (1_999_999, 1)] as [(UInt64, UInt64)] {
            let again = standing.again(at: time)
            #expect(again?.terms?.expiresMilliseconds == left && again?.terms?.isTransient == true)
            #expect(again?.requires == [Feature.reclaim.rawValue, Feature.terms.rawValue])
        }
        #expect(standing.again(at: 2_000_000) == nil)
    }

    @Test("Contents with a number of loads end with their broker, and so do those that cannot be promised again")
    func bound() {
        #expect(StandingWrite(write { $0.maximumLoads = 1 }).verb == .bound)
        #expect(StandingWrite(Write(), endsWithBroker: true).verb == .bound)
        #expect(StandingWrite(write { $0.isConcealed = true }).verb == .standing)
    }
}
