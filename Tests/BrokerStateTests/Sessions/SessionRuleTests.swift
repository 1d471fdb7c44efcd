import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The phases of a session, and the frames that change the phase.
@Suite("Drag sessions: phases and frames", .pure) struct SessionRuleTests {
    // MARK: Before the drop

    @Test("An offer is answered with a handle and version 1, and no destination is notified")
    func offer() throws {
        var scene = DragScene()
        scene.write()
        scene.broker.commit(1, on: scene.drag, from: scene.source)
        let committed = try #require(scene.framesToSource().first(Committed.self))
        #expect(committed.changeCount == 1 && committed.handle != nil && committed.epoch == 77)
        #expect(scene.framesToDestination().isEmpty)
        var entries = scene.broker.status(from: scene.destination).compactMap(\.session)
        #expect(entries.isEmpty, "it has not begun")
        entries = scene.broker.status(from: scene.source).compactMap(\.session)
        #expect(entries.map(\.state) == ["offered"])
    }

    @Test("An offer without items, or with an item that has no type, is refused")
    func emptyOffer() {
        for items in [[], [Item([])]] {
            var scene = DragScene()
            scene.write(items)
            scene.broker.commit(items.count, on: scene.drag, from: scene.source)
            #expect(scene.framesToSource().codes == [.invalidArgument])
            scene.everybodyLeaves()
            #expect(scene.broker.held == .nothing)
        }
    }

    @Test("A session is announced only to a destination that it enters")
    func announcement() {
        var scene = DragScene()
        let other = scene.broker.connect("other")
        scene.broker.register("other", from: other)
        _ = scene.broker.take(other)
        scene.begin()
        #expect(scene.framesToDestination().isEmpty)
        scene.move()
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
        #expect(scene.broker.take(other).isEmpty)
    }

    @Test("A destination receives its own stream, the session, and the items that it may see")
    func announced() throws {
        var scene = DragScene()
        let items = [
            Item([Representation("public.text"), Representation("public.png", visibility: .ownProcess)], name: "a"),
            Item([Representation("public.png", visibility: .ownProcess)]), Item("public.png"),
        ]
        scene.begin(items)
        scene.move(row: 4)
        let frames = scene.framesToDestination()
        let session = try #require(frames.first(Session.self))
        #expect(session.destination == scene.shelf && session.handle == scene.handle && session.version == 1)
        #expect(session.itemCount == 2 && session.ownerLabel == "source" && session.ownerProcess == 1)
        #expect(session.allowsMove == false, "between processes it has to be allowed")
        #expect(frames.all(Item.self).map { $0.representations.map(\.type) } == [["public.text"], ["public.png"]])
        let enter = try #require(frames.first(Enter.self))
        #expect(enter.version == 1 && enter.location?.destination == "shelf" && enter.location?.indexPath == [0, 4])
    }

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

    @Test("A move to another destination is an exit and an enter, and the session may return on the same stream")
    func elsewhere() {
        var scene = DragScene()
        scene.broker.register("other", from: scene.destination)
        scene.begin()
        scene.track(.copy)
        let first = scene.destinationStream
        scene.move(to: "other")
        let frames = scene.framesToDestination()
        #expect(frames.kinds == [.exit, .session, .item, .enter].map { $0 } || frames.on(first).kinds == [.exit])
        #expect(scene.destinationStream != first)
        scene.propose(.copy)
        scene.move(to: "shelf")
        let back = scene.framesToDestination()
        #expect(back.on(first).kinds == [.enter], "items that are announced once are not announced again")
        scene.broker.send(Cancel(), on: scene.drag, from: scene.source)
        let ends = scene.framesToDestination()
        #expect(ends.on(first).kinds == [.exit, .end] && ends.count == 3, "each that it ever entered hears of the end")
    }

    @Test("If a destination exits or disconnects, the source is notified of the reason")
    func lost() {
        for isDead in [false, true] {
            var scene = DragScene()
            scene.begin()
            scene.track(.copy)
            if isDead {
                scene.broker.disconnect(scene.destination)
            } else {
                scene.broker.send(Exit(), on: scene.destinationStream, from: scene.destination)
            }
            let exit = scene.framesToSource().first(Exit.self)
            #expect(exit?.refusal?.code == (isDead ? .destinationGone : .refused))
            scene.drop()
            #expect(scene.framesToSource().first(Dropped.self)?.operation == .cancel)
        }
    }

    @Test("If a session is withdrawn or its source dies, each destination that it entered is sent an exit and an end")
    func withdrawn() {
        for isDead in [false, true] {
            var scene = DragScene()
            scene.begin()
            scene.track(.copy)
            if isDead {
                scene.broker.disconnect(scene.source)
            } else {
                scene.broker.send(Cancel(), on: scene.drag, from: scene.source)
            }
            let frames = scene.framesToDestination()
            #expect(frames.kinds == [.exit, isDead ? .error : .end])
            #expect(frames.codes == (isDead ? [.sourceGone] : []))
            scene.everybodyLeaves()
            #expect(scene.broker.held == .nothing)
        }
    }

    // MARK: The drop

    @Test("A proposed copy or permitted move is dropped, and the source is sent the proposal first")
    func dropped() {
        for operation: DropOperation in [.copy, .move] {
            var scene = DragScene()
            scene.begin { $0.movesBetweenProcesses = true }
            scene.track(operation)
            scene.drop()
            let frames = scene.framesToSource()
            #expect(frames.kinds == [.dropped])
            #expect(frames.first(Dropped.self)?.operation == operation)
            let perform = scene.framesToDestination().first(Perform.self)
            #expect(perform?.operation == operation && perform?.version == 1)
            #expect(perform?.location?.destination == "shelf")
        }
    }

    @Test(
        "A drop with the proposal cancel, forbidden or an unknown operation, or over nothing, reports that and ends",
        arguments: [0, 1, 9]
    )
    func notDropped(_ operation: DropOperation) {
        var scene = DragScene()
        scene.begin()
        scene.track(operation)
        scene.drop()
        let frames = scene.framesToSource()
        #expect(frames.kinds == [.dropped, .end])
        #expect(frames.first(Dropped.self)?.operation == (operation == .forbidden ? .forbidden : .cancel))
        #expect(scene.framesToDestination().kinds == [.exit, .end], "nothing is performed")
    }

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

    @Test("A drop waits for a pending proposal")
    func lifting() {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.drop()
        #expect(scene.framesToSource().isEmpty)
        scene.propose(.copy)
        #expect(scene.framesToSource().kinds == [.proposal, .dropped])
        #expect(scene.framesToDestination().kinds == [.perform])
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

    @Test("A destination with a pending answer is sent no other session until it answers")
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
        let second = scene.broker.connect("second")
        let (drag, _) = scene.broker.drag(from: second)
        scene.broker.move(drag, to: "shelf", from: second)
        #expect(scene.broker.take(second).first(Proposal.self)?.refusal?.code == .timeout)
        #expect(scene.framesToDestination().isEmpty)
        scene.move()
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .timeout)
        #expect(scene.framesToDestination().isEmpty, "nor this one")
        scene.propose(.copy)
        scene.broker.move(drag, to: "shelf", from: second)
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
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

    @Test("If items were added after the proposal, the destination is asked again before the drop")
    func newerItems() {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        let stream = scene.add([Item("public.png")])
        let added = scene.framesToSource().on(stream)
        #expect(added.kinds == [.committed, .end])
        #expect(added.first(Committed.self)?.changeCount == 2 && added.first(Committed.self)?.handle == scene.handle)
        scene.drop()
        scene.propose(.copy)
        #expect(scene.framesToSource().kinds == [.proposal], "that was for the first item alone")
        let frames = scene.framesToDestination()
        #expect(frames.kinds == [.session, .item, .update], "the items that are new come ahead")
        #expect(frames.first(Session.self)?.version == 2 && frames.first(Session.self)?.itemCount == 2)
        #expect(frames.first(Item.self)?.representations.first?.type == "public.png")
        #expect(frames.first(Update.self)?.version == 2)
        scene.propose(.copy)
        #expect(scene.framesToSource().kinds == [.proposal, .dropped])
        #expect(scene.framesToDestination().first(Perform.self)?.version == 2)
    }

    @Test("A destination that has declined is asked again only when items are added, and then at once")
    func declined() throws {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.propose(.copy) { $0.cannotHandle = true }
        let proposal = try #require(scene.framesToSource().first(Proposal.self))
        #expect(proposal.cannotHandle == true && proposal.operation == .cancel)
        for sequence: UInt64 in 2...5 {
            scene.move(sequence: sequence)
            let proposal = try #require(scene.framesToSource().first(Proposal.self))
            #expect(proposal.sequence == sequence && proposal.cannotHandle == true)
        }
        #expect(scene.framesToDestination().isEmpty)
        scene.add()
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
        scene.propose(.copy)
        scene.drop()
        #expect(scene.framesToSource().first(Dropped.self)?.operation == .copy)
    }

    @Test("A session that was declined and moved away does not return when items are added")
    func declinedAndLeft() {
        var scene = DragScene()
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.propose(.copy) { $0.cannotHandle = true }
        scene.move(to: nil)
        scene.add()
        #expect(scene.framesToDestination().isEmpty)
    }

    @Test("A destination that accepts none of the types is asked only when an item of an accepted type is added")
    func typeUnavailable() throws {
        var scene = DragScene { _ in
        } _: {
            $0.accepts = [Accept("public.image")]
        }
        scene.begin()
        scene.move()
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .typeUnavailable)
        scene.add([Item("public.html")])
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .typeUnavailable)
        #expect(scene.framesToDestination().isEmpty)
        scene.add([Item("public.png")])
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

    @Test("Items cannot be added to a foreign session, a dropped session or an ended session")
    func additionRefused() {
        var scene = DragScene()
        scene.begin()
        let other = scene.broker.connect("other", process: 1)
        scene.broker.offer(from: other) { [handle = scene.handle] in $0.handle = handle }
        #expect(scene.broker.take(other).codes == [.superseded])
        scene.move()
        scene.drop()
        scene.add()
        #expect(scene.framesToSource().codes == [.superseded])
        scene.broker.send(Cancel(), on: scene.drag, from: scene.source)
        scene.add()
        #expect(scene.framesToSource().codes == [.superseded])
        scene.everybodyLeaves()
        scene.broker.disconnect(other)
        #expect(scene.broker.held == .nothing)
    }
}
