import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The phases of a session, and the frames that change the phase.
@Suite("Drag sessions: phases and frames", .pure) struct SessionRuleTests {
    // MARK: Before the drop

    @Test("A pointer update within a destination is passed on as an update, and its proposal reaches the source")
    func updates() throws {
        var scene = DragScene()
        scene.begin()
        scene.track(.copy)
        scene.move(row: 7, sequence: 9)
        let frames = scene.framesToDestination()
        #expect(frames.kinds == [.update])
        #expect(frames.first(Update.self)?.location?.indexPath == [0, 7])
        scene.propose(.forbidden) {
            $0.isPrecise = true
            $0.prefersFullSizePreview = true
        }
        let proposal = try #require(scene.framesToSource().first(Proposal.self))
        #expect(proposal.sequence == 9 && proposal.operation == .forbidden)
        #expect(proposal.isPrecise == true && proposal.prefersFullSizePreview == true && proposal.refusal == nil)
    }

    // MARK: The drop

    @Test("A move that is not permitted counts as cancel, and the proposal contains the reason")
    func moveNotAllowed() throws {
        for (allows, between, isOwn) in [(true, false, false), (false, true, false), (false, true, true)] {
            var scene = DragScene(sameProcess: isOwn)
            scene.begin {
                $0.allowsMove = allows
                $0.movesBetweenProcesses = between
            }
            scene.move()
            #expect(scene.framesToDestination().first(Session.self)?.allowsMove == false)
            scene.propose(.move)
            let proposal = try #require(scene.framesToSource().first(Proposal.self))
            #expect(proposal.operation == .cancel && proposal.refusal?.code == .notPermitted)
            scene.drop()
            #expect(scene.framesToSource().first(Dropped.self)?.operation == .cancel)
            #expect(scene.framesToDestination().first(Perform.self) == nil)
        }
    }

    @Test("Within one process a move is permitted unless the source forbids it")
    func ownMove() {
        var scene = DragScene(sameProcess: true)
        scene.begin()
        scene.track(.move)
        scene.drop()
        #expect(scene.framesToSource().first(Dropped.self)?.operation == .move)
    }

    @Test("A drop ends the other destination sessions, which are sent only their end")
    func otherVisits() {
        var scene = DragScene()
        let other = scene.broker.connect("other")
        scene.broker.register("other", from: other)
        scene.begin()
        scene.move(to: "other")
        let stream = scene.broker.take(other).last?.stream ?? 0
        scene.broker.propose(.copy, to: 1, on: stream, from: other)
        scene.track(.copy)
        #expect(scene.broker.take(other).kinds == [.exit])
        scene.drop()
        #expect(scene.broker.take(other).kinds == [.end])
        #expect(scene.framesToDestination().kinds == [.perform])
        scene.fetch()
        scene.performed()
        scene.conclude()
        #expect(scene.broker.take(other).isEmpty)
    }

    @Test("A proposal that does not arrive in time counts as cancel, and a later one is ignored")
    func lateProposal() throws {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.broker.advance(by: 499)
        #expect(scene.framesToSource().isEmpty)
        scene.broker.advance(by: 1)
        let proposal = try #require(scene.framesToSource().first(Proposal.self))
        #expect(proposal.operation == .cancel && proposal.refusal?.code == .timeout)
        #expect(scene.framesToDestination().kinds == [.exit])
        scene.propose(.copy)
        #expect(scene.framesToSource().isEmpty)
        scene.drop()
        #expect(scene.framesToSource().first(Dropped.self)?.operation == .cancel)
        #expect(scene.framesToDestination().kinds == [.end])
    }

    @Test("A session is not sent again to a destination that owes it an answer; other sessions are")
    func owing() throws {
        var scene = DragScene { _ in
        } _: {
            $0.allowsSimultaneousSessions = true
        }
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.broker.advance(by: 500)
        scene.forget()
        scene.move()
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .timeout)
        #expect(scene.framesToDestination().isEmpty)
        scene.propose(.copy)
        #expect(scene.framesToSource().isEmpty)
        scene.move()
        #expect(scene.framesToDestination().kinds == [.enter])
        let second = scene.broker.connect("second")
        let (drag, _) = scene.broker.drag(from: second)
        scene.broker.move(drag, to: "shelf", from: second)
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
    }

    @Test("A source that moves or drops before the answer to its last move violates the protocol")
    func impatient() {
        for kind in [FrameKind.move, .drop] {
            var scene = DragScene()
            scene.begin()
            scene.move()
            scene.broker.raw(kind: kind.rawValue, on: scene.drag, from: scene.source)
            #expect(scene.broker.closed == [scene.source])
        }
    }

    @Test("A destination that exits instead of answering has no pending answer")
    func exitAnswers() {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.broker.send(Exit(), on: scene.destinationStream, from: scene.destination)
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .refused)
        scene.move()
        #expect(scene.framesToDestination().kinds == [.enter])
        scene.broker.propose(.copy, to: 1, on: scene.destinationStream, from: scene.destination)
        #expect(scene.framesToSource().isEmpty, "that was what it did not answer")
        scene.propose(.copy)
        #expect(scene.framesToSource().first(Proposal.self)?.operation == .copy)
    }

    // MARK: Added items

    @Test("A proposal for earlier items does not count for the drop; the next question brings the added items")
    func newerItems() {
        for (isAsked, isMoved) in [(true, false), (false, false), (false, true), (true, true)] {
            var scene = DragScene()
            scene.begin()
            scene.move()
            _ = scene.framesToDestination()
            if !isAsked { scene.propose(.copy) }
            _ = scene.framesToSource()
            let stream = scene.add([Item("public.png")])
            let added = scene.framesToSource().on(stream)
            #expect(added.kinds == [.committed, .end])
            #expect(added.first(Committed.self)?.changeCount == 2)
            #expect(added.first(Committed.self)?.handle == scene.handle)
            #expect(scene.framesToDestination().isEmpty)
            if isAsked { scene.propose(.copy) }
            if isMoved {
                scene.move()
                let frames = scene.framesToDestination()
                #expect(frames.kinds == [.session, .item, .update], "the items that are new come ahead")
                #expect(frames.first(Session.self)?.version == 2 && frames.first(Session.self)?.itemCount == 2)
                #expect(frames.first(Item.self)?.representations.first?.type == "public.png")
                #expect(frames.first(Update.self)?.version == 2)
                scene.propose(.copy)
            }
            scene.drop()
            #expect(scene.framesToSource().first(Dropped.self)?.operation == (isMoved ? .copy : .cancel))
            #expect(scene.framesToDestination().first(Perform.self)?.version == (isMoved ? 2 : nil))
        }
    }

    @Test("A destination that declines is left, and is asked again at the next move")
    func declined() throws {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.propose(.copy) { $0.cannotHandle = true }
        let proposal = try #require(scene.framesToSource().first(Proposal.self))
        #expect(proposal.cannotHandle == true && proposal.operation == .cancel)
        #expect(scene.framesToDestination().isEmpty, "it knows that it was left")
        scene.add()
        scene.move()
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
        scene.propose(.copy)
        scene.drop()
        #expect(scene.framesToSource().first(Dropped.self)?.operation == .copy)
    }

    @Test("A destination that accepts none of the types is asked only when there is an item of an accepted type")
    func typeUnavailable() throws {
        var scene = DragScene { _ in
        } _: {
            $0.accepts = [Accept("public.image")]
        }
        scene.begin()
        for items in [[], [Item("public.html")]] {
            if !items.isEmpty { scene.add(items) }
            scene.move()
            #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .typeUnavailable)
        }
        #expect(scene.framesToDestination().isEmpty)
        scene.add([Item("public.png")])
        scene.move()
        #expect(scene.framesToDestination().kinds == [.session, .item, .item, .item, .enter])
    }

    @Test("A failed addition does not change the session")
    func failedAddition() {
        var scene = DragScene { $0.metadataPerSession = 400 }
        scene.begin()
        scene.track(.copy)
        for items in [[Item([])], [Item("not a type")], (0..<20).map { _ in Item("com.example.quite-a-long-name") }] {
            let stream = scene.add(items)
            #expect(scene.framesToSource().on(stream).kinds == [.error])
        }
        #expect(scene.framesToDestination().isEmpty)
        scene.drop()
        #expect(scene.framesToSource().first(Dropped.self)?.operation == .copy)
        scene.everybodyLeaves()
        #expect(scene.broker.held == .nothing)
    }

    @Test("All additions together have the limits of one session")
    func additionLimits() {
        var scene = DragScene { $0.metadataPerSession = 300 }
        scene.begin()
        var codes: [ErrorCode] = []
        for _ in 0..<20 {
            let stream = scene.add([Item("com.example.name")])
            codes += scene.framesToSource().on(stream).codes
        }
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == .limitExceeded })
        var many = DragScene()
        many.begin((0..<WireLimits.items).map { _ in Item("a.b") })
        many.add()
        #expect(many.framesToSource().codes == [.limitExceeded])
    }

    @Test("Items cannot be added to the session of another connection, even of the same process")
    func foreignAddition() {
        var scene = DragScene()
        scene.begin()
        let other = scene.broker.connect("other", process: 1)
        scene.broker.offer(from: other) { [handle = scene.handle] in $0.handle = handle }
        #expect(scene.broker.take(other).codes == [.superseded])
    }

    @Test("A session whose stream the destination has cancelled can come again, on another stream")
    func announcedAgain() {
        var scene = DragScene()
        scene.begin()
        scene.track(.copy)
        let first = scene.destinationStream
        scene.broker.send(Cancel(), on: first, from: scene.destination)
        #expect(scene.framesToSource().kinds == [.exit])
        scene.move(sequence: 2)
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
        #expect(scene.destinationStream != first)
    }

    @Test("A location without a destination names none, and an absent sequence is 0")
    func emptyLocation() {
        var scene = DragScene()
        scene.begin()
        var move = Move()
        move.location = Location()
        scene.broker.send(move, on: scene.drag, from: scene.source)
        let proposal = scene.framesToSource().first(Proposal.self)
        #expect(proposal?.refusal?.code == .nothingHere && proposal?.sequence == 0)
    }
}
