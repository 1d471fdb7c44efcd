import FoundationEssentials
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.pure) struct InboxTests {
    private var inbox = Inbox()

    private static var change: Inbox.Change {
        .result(FinishedRun(HandlerRun(.async { .data(Data()) }) { _, _ in }, .success(.data(Data()))))
    }

    @Test("The first to add a change makes it and serves the inbox, and the others leave theirs to it")
    mutating func few() {
        #expect(inbox.add(Self.change) == .serve)
        #expect(inbox.add(Self.change) == .none)
        #expect(inbox.take(underWay: nil)?.results.count == 1)
        #expect(inbox.add(Self.change) == .none)
        #expect(inbox.take(underWay: 2)?.results.count == 1)
        #expect(inbox.take(underWay: 3) == nil)
        #expect(inbox.add(Self.change) == .serve)
    }

    @Test("With many streams under way, the thread is woken once and serves the inbox")
    mutating func many() {
        #expect(inbox.add(Self.change) == .serve)
        #expect(inbox.take(underWay: 8) == nil)
        #expect(inbox.add(Self.change) == .wake)
        #expect(inbox.add(Self.change) == .none)
        #expect(inbox.claim() == true)
        #expect(inbox.take(underWay: nil)?.results.count == 2)
        #expect(inbox.take(underWay: 7) == nil)
        #expect(inbox.add(Self.change) == .serve)
    }

    @Test("The thread does not claim an inbox that another one serves, and without a thread nothing waits for it")
    mutating func claims() {
        #expect(inbox.add(Self.change) == .serve)
        #expect(inbox.claim() == false)
        #expect(inbox.take(underWay: 8) == nil)
        #expect(inbox.add(Self.change) == .wake)
        #expect(inbox.loseThread() == true)
        #expect(inbox.take(underWay: nil)?.results.count == 1)
        #expect(inbox.take(underWay: 8) == nil)
        #expect(inbox.add(Self.change) == .serve)
    }
}
