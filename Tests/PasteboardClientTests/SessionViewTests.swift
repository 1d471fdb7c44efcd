import PasteboardClient
import PasteboardWire
import Testing

@Suite("A session as its source and as a destination see it")
struct SessionViewTests {
    private func proposal(_ sequence: UInt64?, _ operation: UInt32) -> ClientEvent {
        var proposal = Proposal()
        proposal.sequence = sequence
        proposal.operation = operation
        return .proposed(1, proposal)
    }

    private func dropped(_ operation: UInt32?) -> ClientEvent {
        var dropped = Dropped()
        dropped.operation = operation
        return .dropped(1, dropped)
    }

    private func transferred(_ items: [UInt32], _ failure: Failure? = nil) -> ClientEvent {
        var transferred = Transferred()
        transferred.items = items
        transferred.failure = failure
        return .transferred(1, transferred)
    }

    private func outcome(of events: [ClientEvent], cancelled: Bool = false) -> String {
        var progress = DragProgress()
        for event in events { progress.take(event) }
        if cancelled { progress.cancel() }
        switch progress.outcome {
        case .cancelled: return "cancelled \(progress.transferredItems)"
        case .transferred(let operation): return "transferred \(operation) \(progress.transferredItems)"
        case .failed(let failure): return "failed \(failure.code) \(progress.transferredItems)"
        case nil: return "under way"
        }
    }

    @Test("what has become of a session is known at its end, by what was said before")
    func outcomes() {
        let failure = Failure(.sourceFailed, "no")
        #expect(outcome(of: []) == "under way")
        #expect(outcome(of: [.ended(1, End())]) == "cancelled []")
        #expect(outcome(of: [self.dropped(2), self.transferred([0])]) == "under way")
        #expect(outcome(of: [self.dropped(2), .ended(1, End())]) == "cancelled []")
        #expect(outcome(of: [self.dropped(2), self.transferred([0]), .ended(1, End())]) == "transferred copy [0]")
        #expect(outcome(of: [self.dropped(3), self.transferred([0]), .ended(1, End())]) == "transferred move [0]")
        // An operation of a later version, and none: nothing that anything may be deleted for.
        #expect(outcome(of: [self.dropped(9), self.transferred([0]), .ended(1, End())]) == "cancelled [0]")
        #expect(outcome(of: [self.transferred([0]), .ended(1, End())]) == "cancelled [0]")
        let part = self.transferred([1], failure)
        #expect(outcome(of: [self.dropped(3), part, .ended(1, End())]) == "failed source-failed [1]")
        #expect(outcome(of: [.failed(1, failure)]) == "failed source-failed []")
        #expect(outcome(of: [self.dropped(3), .failed(1, failure)]) == "failed source-failed []")
        // What was said of the transfer stands, however the stream ends.
        #expect(outcome(of: [self.dropped(3), self.transferred([0]), .failed(1, failure)]) == "transferred move [0]")
    }

    @Test("a source that cancels has transferred nothing, unless the session was over")
    func cancelled() {
        #expect(outcome(of: [self.dropped(3), self.transferred([0])], cancelled: true) == "cancelled []")
        #expect(
            outcome(of: [self.dropped(3), self.transferred([0]), .ended(1, End())], cancelled: true)
                == "transferred move [0]"
        )
        var progress = DragProgress()
        progress.cancel()
        progress.take(self.dropped(3))
        progress.take(self.transferred([0]))
        progress.take(.ended(1, End()))
        #expect(progress.dropped == nil && progress.transferredItems.isEmpty)
    }

    @Test("the last proposal is the one of the greatest number, and a lost destination leaves none")
    func proposals() {
        var progress = DragProgress()
        #expect(!progress.hasAnswered(1))
        progress.take(self.proposal(2, 2))
        #expect(progress.hasAnswered(1) && progress.hasAnswered(2) && !progress.hasAnswered(3))
        progress.take(self.proposal(1, 1))
        #expect(progress.proposal?.operation == 2)
        progress.take(self.proposal(2, 3))
        #expect(progress.proposal?.operation == 3)
        progress.take(.exited(1, Exit()))
        #expect(progress.proposal?.operation == 0)
        #expect(progress.hasAnswered(2) && !progress.hasAnswered(3))
        progress.take(self.proposal(.max, 2))
        #expect(progress.hasAnswered(.max))
    }

    @Test("a destination's items come in order, no more than were announced")
    func items() {
        var session = Session()
        session.handle = 7
        session.itemCount = 1
        session.allowsMove = true
        var visited = VisitedSession(2, session)
        #expect(visited.handle == 7 && visited.version == 1 && visited.allowsMove && !visited.isComplete)
        for name in ["a", "b"] {
            var item = Item()
            item.suggestedName = name
            _ = visited.take(.item(2, item))
        }
        #expect(visited.isComplete && visited.items.map(\.suggestedName) == ["a"])
        session.itemCount = .max
        session.version = 2
        _ = visited.take(.session(2, session))
        #expect(visited.itemCount == WireLimits.items && visited.version == 2 && !visited.isComplete)
        // They do not become fewer.
        session.itemCount = 0
        session.version = 1
        _ = visited.take(.session(2, session))
        #expect(visited.itemCount == WireLimits.items && visited.version == 2)
    }

    @Test("each thing that is said to a destination asks for its answer, and it is dropped once")
    func steps() {
        var visited = VisitedSession(2, Session())
        var enter = Enter()
        enter.sequence = 4
        enter.location = Location()
        enter.location?.destination = "shelf"
        guard case .propose(4, let location, true) = visited.take(.entered(2, enter)) else {
            Issue.record("an entry is answered by a proposal")
            return
        }
        #expect(location.destination == "shelf")
        // A place that is not said anew is the last.
        guard case .propose(0, let same, false) = visited.take(.updated(2, Update())) else {
            Issue.record("an update is answered by a proposal")
            return
        }
        #expect(same.destination == "shelf" && visited.location != nil)
        guard case .exited = visited.take(.left(2, Exit())) else {
            Issue.record("it is elsewhere")
            return
        }
        #expect(visited.location == nil)
        var perform = Perform()
        perform.operation = 3
        perform.location = location
        guard case .perform(.move, _) = visited.take(.perform(2, perform)) else {
            Issue.record("it was dropped")
            return
        }
        #expect(visited.isDropped)
        guard case .none = visited.take(.perform(2, perform)), case .over(nil) = visited.take(.ended(2, End())),
            case .over(.some) = visited.take(.failed(2, Failure(.sourceGone, "")))
        else {
            Issue.record("it was dropped twice, or its end is none")
            return
        }
    }
}
