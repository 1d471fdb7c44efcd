import PasteboardClient
import TestSupport
import Testing

/// The table of what a client does after a lost broker.
@Suite(.pure) struct RecoveryTests {
    /// One character for each loss, in the order nobody, crashed, refused, stopped, silent, replaced, other:
    /// - fails, c connects, a again, s restores and may start a broker, w restores and starts none.
    static let table: [(Recovery.Verb, Recovery.Reached, String)] = [
        (.read, .nothing, "-cac-a-"),
        (.read, .uncommitted, "-aaa-a-"),
        (.read, .request, "-aaa-a-"),
        (.read, .bytes, "-------"),
        (.read, .standing, "-------"),
        (.change, .nothing, "-cac-a-"),
        (.change, .uncommitted, "-aaa-a-"),
        (.change, .request, "--aa-a-"),
        (.change, .bytes, "-------"),
        (.change, .standing, "-------"),
        (.bound, .nothing, "-c-c---"),
        (.bound, .uncommitted, "-------"),
        (.bound, .request, "-------"),
        (.bound, .bytes, "-------"),
        (.bound, .standing, "-------"),
        (.standing, .nothing, "-cac-a-"),
        (.standing, .uncommitted, "-aaa-a-"),
        (.standing, .request, "-aaa-a-"),
        (.standing, .bytes, "-------"),
        (.standing, .standing, "wswws--"),
    ]

    @Test("The table has one rule for each verb, progress and loss", .tags(.f82))
    func rules() {
        #expect(Self.table.count == Recovery.Verb.allCases.count * Recovery.Reached.allCases.count)
        for (verb, reached, row) in Self.table {
            let rules = Loss.allCases.map { loss -> Character in
                switch Recovery.rule(for: verb, at: reached, after: loss) {
                case .fail: "-"
                case .connect: "c"
                case .again: "a"
                case .restore(mayStart: true): "s"
                case .restore(mayStart: false): "w"
                }
            }
            #expect(String(rules) == row, "\(verb), \(reached)")
        }
    }

    @Test("A read is made again once, a change only if it was refused")
    func counts() {
        var read = Recovery(.read)
        #expect(read.next(after: .crashed, at: .request, now: 0, random: 0) == .connect(after: 0, mayStart: true))
        #expect(read.next(after: .crashed, at: .request, now: 0, random: 0) == .fail)
        var change = Recovery(.change)
        #expect(change.next(after: .crashed, at: .request, now: 0, random: 0) == .fail)
        #expect(change.next(after: .stopped, at: .request, now: 0, random: 0) == .connect(after: 0, mayStart: false))
        // Another broker may take over from the one that takes over.
        var refused = Recovery(.change)
        for _ in 0..<Recovery.takeovers {
            #expect(
                refused.next(after: .refused, at: .request, now: 0, random: 0) == .connect(after: 0, mayStart: true)
            )
        }
        #expect(refused.next(after: .refused, at: .request, now: 0, random: 0) == .fail)
        // New contents may have to cross a link first.
        for count in 0..<Recovery.replacements {
            #expect(read.next(after: .replaced, at: .request, now: 0, random: 0) == .again(after: 10 << count))
        }
        #expect(read.next(after: .replaced, at: .request, now: 0, random: 0) == .fail)
        var greeting = Recovery(.change)
        #expect(greeting.next(after: .crashed, at: .nothing, now: 0, random: 0) == .connect(after: 0, mayStart: true))
        #expect(greeting.next(after: .crashed, at: .nothing, now: 0, random: 0) == .connect(after: 0, mayStart: true))
        #expect(greeting.next(after: .crashed, at: .nothing, now: 0, random: 0) == .fail)
    }

    @Test("A change that was sent and not answered may have been carried out, and one that was refused was not")
    func remark() {
        for loss in Loss.allCases {
            let isUnknown = [.crashed, .silent].contains(loss)
            #expect(Recovery(.change).remark(after: loss, at: .request).isEmpty == !isUnknown)
            #expect(Recovery(.change).remark(after: loss, at: .uncommitted).isEmpty)
            #expect(Recovery(.read).remark(after: loss, at: .request).isEmpty)
        }
    }

    @Test("A request whose bytes cannot be read again is not made again")
    func unrepeatable() {
        var change = Recovery(.change, repeats: 0)
        #expect(change.next(after: .crashed, at: .uncommitted) == .fail)
        #expect(change.next(after: .refused, at: .request) == .fail)
    }

    @Test("What stands outlives crashes; only the library waits after a stop, and starts no broker then")
    func standing() {
        for survivesStop in [false, true] {
            var standing = Recovery(.standing, survivesStop: survivesStop)
            #expect(
                standing.next(after: .crashed, at: .standing, now: 0, random: 0) == .connect(after: 10, mayStart: true)
            )
            #expect(
                standing.next(after: .nobody, at: .standing, now: 0, random: 0) == .connect(after: 20, mayStart: true)
            )
            // Another broker may take over from the next one, too.
            #expect(
                standing.next(after: .refused, at: .standing, now: 0, random: 0) == .connect(after: 40, mayStart: false)
            )
            let afterNobody = standing.next(after: .nobody, at: .standing, now: 0, random: 0)
            #expect(afterNobody == (survivesStop ? .connect(after: 80, mayStart: false) : .fail))
            // A hand-over has no time for long delays.
            standing.hurry()
            #expect(
                standing.next(after: .crashed, at: .standing, now: 0, random: 0) == .connect(after: 10, mayStart: true)
            )
            let stopped = standing.next(after: .stopped, at: .standing, now: 0, random: 0)
            #expect((stopped == .fail) == !survivesStop)
        }
    }
}
