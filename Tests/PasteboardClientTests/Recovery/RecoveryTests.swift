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
        #expect(read.step(after: .crashed, at: .request) == .connect(after: 0, mayStart: true))
        #expect(read.step(after: .crashed, at: .request) == .fail)
        var change = Recovery(.change)
        #expect(change.step(after: .crashed, at: .request) == .fail)
        #expect(change.step(after: .stopped, at: .request) == .connect(after: 0, mayStart: false))
        // Another broker may take over from the one that takes over.
        var refused = Recovery(.change)
        for _ in 0..<Recovery.takeovers {
            #expect(refused.step(after: .refused, at: .request) == .connect(after: 0, mayStart: true))
        }
        #expect(refused.step(after: .refused, at: .request) == .fail)
        // New contents may have to cross a link first.
        for count in 0..<Recovery.replacements {
            #expect(read.step(after: .replaced, at: .request) == .again(after: 10 << count))
        }
        #expect(read.step(after: .replaced, at: .request) == .fail)
        var greeting = Recovery(.change)
        #expect(greeting.step(after: .crashed, at: .nothing) == .connect(after: 0, mayStart: true))
        #expect(greeting.step(after: .crashed, at: .nothing) == .connect(after: 0, mayStart: true))
        #expect(greeting.step(after: .crashed, at: .nothing) == .fail)
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
        #expect(change.step(after: .crashed, at: .uncommitted) == .fail)
        #expect(change.step(after: .refused, at: .request) == .fail)
    }

    @Test("What stands outlives crashes; only the library waits after a stop, and starts no broker then")
    func standing() {
        for survivesStop in [false, true] {
            var standing = Recovery(.standing, survivesStop: survivesStop)
            #expect(standing.step(after: .crashed, at: .standing) == .connect(after: 10, mayStart: true))
            #expect(standing.step(after: .nobody, at: .standing) == .connect(after: 20, mayStart: true))
            // Another broker may take over from the next one, too.
            #expect(standing.step(after: .refused, at: .standing) == .connect(after: 40, mayStart: false))
            let afterNobody = standing.step(after: .nobody, at: .standing)
            #expect(afterNobody == (survivesStop ? .connect(after: 80, mayStart: false) : .fail))
            // A hand-over has no time for long delays.
            standing.hurry()
            #expect(standing.step(after: .crashed, at: .standing) == .connect(after: 10, mayStart: true))
            let stopped = standing.step(after: .stopped, at: .standing)
            #expect((stopped == .fail) == !survivesStop)
        }
    }
}

extension Recovery {
    /// The next step of a request, without the time and the chance in its delay.
    fileprivate mutating func step(after loss: Loss, at reached: Reached) -> Step {
        next(after: loss, at: reached, now: 0, random: 0)
    }
}
