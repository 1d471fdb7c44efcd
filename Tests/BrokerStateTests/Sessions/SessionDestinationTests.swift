import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The names of destinations, the sessions that may enter them, and their limits.
@Suite("Drag sessions: destinations", .pure) struct SessionDestinationTests {
    // MARK: Names

    @Test("The numbers of destinations and sessions are limited for each process and in total")
    func limits() {
        let broker = StateHarness {
            $0.destinations = 3
            $0.destinationsPerProcess = 2
            $0.sessions = 3
            $0.sessionsPerProcess = 2
        }
        let peers = [1, 1, 2].map { broker.connect(process: $0) }
        for (index, peer) in peers.enumerated() {
            for count in 0..<2 { broker.register("\(index) \(count)", from: peer) }
            for _ in 0..<2 { broker.offer(from: peer) }
        }
        let refused = peers.map { broker.take($0).codes.count }
        #expect(refused == [0, 4, 2])
        #expect(broker.held.destinations == 3 && broker.held.sessions == 3)
        for peer in peers { broker.disconnect(peer) }
        #expect(broker.held == .nothing)
    }

    @Test("If a destination does not exist, the refusal lists those that exist for this source")
    func nowhere() throws {
        var scene = DragScene()
        scene.broker.register("hidden", from: scene.destination) { $0.isOwnProcess = true }
        scene.broker.register("own", from: scene.source) { $0.isOwnProcess = true }
        scene.begin()
        scene.move(to: "nowhere")
        let refusal = try #require(scene.framesToSource().first(Proposal.self)?.refusal)
        #expect(refusal.code == .nothingHere && refusal.detail == "shelf")
    }

    // MARK: Permission

    @Test("A restricted session exists only for its own process: others cannot find or see it")
    func restricted() {
        var scene = DragScene()
        let own = scene.broker.connect("own", process: 1)
        scene.broker.register("own", from: own)
        scene.begin { $0.isRestricted = true }
        scene.move()
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .nothingHere)
        #expect(scene.framesToDestination().isEmpty)
        #expect(scene.broker.status(from: scene.destination).compactMap(\.session).isEmpty)
        _ = scene.broker.take(own)
        scene.move(to: "own")
        #expect(scene.broker.take(own).kinds == [.session, .item, .enter])
        #expect(scene.broker.status(from: own).compactMap(\.session).map(\.state) == ["tracking"])
    }

    @Test("A destination for its own process does not exist for others, neither by name nor in a list")
    func ownProcess() {
        var scene = DragScene { _ in
        } _: {
            $0.isOwnProcess = true
        }
        scene.begin()
        scene.move()
        #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .nothingHere)
        #expect(scene.broker.status(from: scene.source).compactMap(\.destination).isEmpty)
        #expect(scene.broker.status(from: scene.destination).compactMap(\.destination).map(\.name) == ["shelf"])
    }

    @Test("Items without visible representations do not exist for a destination; a group sees the items for the group")
    func visibility() {
        for (groups, visibility, isSeen) in [([], 3, false), ([], 2, false), (["g"], 2, true), ([], 1, true)]
            as [([String], Visibility, Bool)]
        {
            let broker = StateHarness()
            let source = broker.connect(groups: ["g"])
            let destination = broker.connect(groups: groups)
            broker.register(from: destination)
            _ = broker.take(destination)
            let item = Item([Representation("public.text", visibility: visibility)])
            let (drag, handle) = broker.drag([item], from: source)
            broker.move(drag, to: "shelf", from: source)
            let frames = broker.take(destination)
            #expect(frames.kinds == (isSeen ? [.session, .item, .enter] : []))
            if !isSeen {
                #expect(broker.take(source).first(Proposal.self)?.refusal?.code == .typeUnavailable)
                continue
            }
            broker.propose(.copy, to: 1, on: frames[0].stream, from: destination)
            broker.send(Drop(), on: drag, from: source)
            _ = broker.take(source)
            broker.load(from: destination) { $0.handle = handle }
            #expect(broker.takeAsks(source).count == 1)
        }
    }

    @Test("A hidden representation cannot be loaded, even in the drop window")
    func hiddenRepresentation() {
        var scene = DragScene()
        scene.dropped(
            .copy,
            [Item([Representation("public.png", visibility: .ownProcess), Representation("public.text")])]
        )
        let load = scene.broker.load(from: scene.destination) { [handle = scene.handle] in
            $0.handle = handle
            $0.accepts = [Accept("public.png")]
        }
        #expect(scene.framesToDestination().on(load).codes == [.typeUnavailable])
        #expect(scene.framesToSource().isEmpty)
    }

    @Test("A destination accepts types that conform to one of its types, one exact type, or any type")
    func accepts() {
        let cases: [(accepts: [Accept], type: String, supertypes: [String], isTaken: Bool)] = [
            ([Accept("public.text")], "public.utf8-plain-text", [], true),
            ([Accept("public.text")], "PUBLIC.HTML", [], true),
            ([Accept("public.text")], "public.png", [], false),
            ([Accept("public.text")], "com.example.note", ["public.plain-text"], true),
            ([Accept("com.example.note")], "com.example.note", [], true),
            ([Accept("com.example.note")], "com.example.card", ["com.Example.Note"], true),
            ([Accept("com.example.note")], "com.example.card", [], false),
            ([Accept("public.text", match: .exact)], "public.html", [], false),
            ([Accept("public.text", match: .exact)], "public.Text", [], true),
            ([Accept("public.png"), Accept("", match: .any)], "com.example.card", [], true),
            ([], "com.example.card", [], true),
        ]
        for (accepts, type, supertypes, isTaken) in cases {
            var scene = DragScene { _ in
            } _: {
                $0.accepts = accepts
            }
            scene.begin([Item([Representation(type, supertypes: supertypes)])])
            scene.move()
            #expect(scene.framesToDestination().isEmpty != isTaken, "\(accepts) of \(type)")
        }
    }

    // MARK: Several sessions

    @Test("A session that was declined has not entered, and does not occupy the destination")
    func declinedPlace() {
        var scene = DragScene()
        let second = scene.broker.connect("second")
        let (drag, _) = scene.broker.drag(from: second)
        scene.begin()
        scene.move()
        _ = scene.framesToDestination()
        scene.propose(.cancel) { $0.cannotHandle = true }
        scene.broker.move(drag, to: "shelf", from: second)
        #expect(scene.framesToDestination().kinds == [.session, .item, .enter])
    }

    @Test("A destination that allows simultaneous sessions has at most 64")
    func simultaneous() {
        var scene = DragScene { _ in
        } _: {
            $0.allowsSimultaneousSessions = true
        }
        var refused = 0
        for _ in 0..<65 {
            scene.begin()
            scene.move()
            _ = scene.framesToDestination()
            scene.propose(.copy)
            if scene.framesToSource().first(Proposal.self)?.refusal?.code == .refused { refused += 1 }
        }
        #expect(refused == 1)
        #expect(scene.broker.status(from: scene.source).compactMap(\.destination).first?.sessions == 64)
        scene.everybodyLeaves()
        #expect(scene.broker.held == .nothing)
    }

    // MARK: Limits

    @Test("Many short or large sessions do not fill the queue of a peer that answers none")
    func unanswered() {
        let item = Item([Representation("com.example." + String(repeating: "x", count: 400))])
        for (count, items) in [(1_000, [Item("a.b")]), (40, (0..<400).map { _ in item })] {
            // Each session ends before the destination has to answer.
            var scene = DragScene()
            var bytes = 0
            for _ in 0..<count {
                scene.begin(items)
                scene.move()
                scene.broker.send(Cancel(), on: scene.drag, from: scene.source)
                bytes += scene.broker.take(scene.destination).reduce(0) { $0 + 16 + $1.payload.count }
            }
            #expect(bytes > 50 << 10 && bytes < 640 << 10)
            _ = scene.framesToSource()
            scene.begin(items)
            scene.move()
            #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .timeout)
            scene.broker.unread(1, of: scene.destination)
            scene.broker.advance(by: 500)
            scene.move()
            #expect(scene.framesToSource().first(Proposal.self)?.refusal?.code == .timeout)
            scene.broker.unread(0, of: scene.destination)
            scene.move()
            #expect(scene.framesToDestination().kinds.prefix(2) == [.session, .item], "it has read them all")
            scene.everybodyLeaves()
            #expect(scene.broker.held == .nothing)
        }
    }

    @Test("The numbers that peers choose are compared and passed on, and extreme values cause no overflow")
    func extremes() {
        var scene = DragScene()
        scene.begin()
        scene.move(sequence: .max)
        _ = scene.framesToDestination()
        scene.propose(DropOperation(rawValue: .max))
        #expect(scene.framesToSource().first(Proposal.self)?.sequence == .max)
        scene.move(sequence: 0)
        _ = scene.framesToDestination()
        scene.broker.propose(.copy, to: .max, on: scene.destinationStream, from: scene.destination)
        #expect(scene.broker.closed == [scene.destination])
        scene.everybodyLeaves()
        #expect(scene.broker.held == .nothing)
    }

    @Test("Destinations, sessions and destination sessions are charged, and the charges are released")
    func accounting() {
        var scene = DragScene()
        let before = scene.broker.held
        scene.begin()
        scene.track(.copy)
        #expect(scene.broker.held.objects > before.objects + 3)
        scene.broker.send(Cancel(), on: scene.drag, from: scene.source)
        #expect(scene.broker.held == before)
        scene.broker.send(Cancel(), on: scene.shelf, from: scene.destination)
        #expect(scene.broker.held.objects == 0 && scene.broker.held.metadata == 0)
    }
}
