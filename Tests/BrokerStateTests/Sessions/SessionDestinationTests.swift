import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Sessions and destinations in a status, and their limits. The rest is in the exchanges.
@Suite("Drag sessions: destinations", .pure) struct SessionDestinationTests {
    @Test("A restricted session is shown in a status to its own process alone")
    func restricted() {
        var scene = DragScene()
        let own = scene.broker.connect("own", process: 1)
        scene.begin { $0.isRestricted = true }
        #expect(scene.broker.status(from: scene.destination).compactMap(\.session).isEmpty)
        #expect(scene.broker.status(from: own).compactMap(\.session).map(\.state) == ["tracking"])
    }

    @Test("A destination for its own process is shown in a status to that process alone")
    func ownProcess() {
        let scene = DragScene { $0.isOwnProcess = true }
        #expect(scene.broker.status(from: scene.source).compactMap(\.destination).isEmpty)
        #expect(scene.broker.status(from: scene.destination).compactMap(\.destination).map(\.name) == ["shelf"])
    }

    @Test("A destination that allows simultaneous sessions has at most 64")
    func simultaneous() {
        var scene = DragScene { $0.allowsSimultaneousSessions = true }
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
}
