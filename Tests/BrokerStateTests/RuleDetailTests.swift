import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Details that the protocol's documents state and that another implementation is likely to decide otherwise.
@Suite("Details of the rules", .pure) struct RuleDetailTests {
    // MARK: Loads

    @Test("Progress before the first byte starts the source's time anew, and the next byte is due in it")
    func progressBeforeBytes() {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        let load = broker.load(from: reader)
        let ask = broker.takeAsks(source)[0]
        broker.advance(by: 20_000)
        broker.send(Progress(), on: ask, from: source)
        broker.advance(by: 29_000)
        #expect(broker.take(reader).codes.isEmpty)
        broker.advance(by: 1_100)
        #expect(broker.take(reader).on(load).codes == [.sourceStalled])
    }

    @Test("An unknown kind on an ask is a version mismatch for the source, and the load has a failed source")
    func unknownKindOnAsk() {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        broker.load(from: reader)
        let ask = broker.takeAsks(source)[0]
        broker.raw(kind: 99, flags: FrameFlags.mustUnderstand.rawValue, on: ask, from: source)
        #expect(broker.take(source).on(ask).codes == [.versionMismatch])
        #expect(broker.take(reader).codes == [.sourceFailed])
    }

    // MARK: Writes

    @Test("Terms, an addition and the epoch of a condition require their features")
    func features() {
        let broker = StateHarness()
        let peer = broker.connect()
        var (terms, addition, condition, clear) = (Write(), Write(), Write(), Clear())
        terms.terms = ContentTerms(transient: true)
        addition.handle = 1
        (condition.ifChangeCount, condition.ifEpoch) = (5_000, 77)
        condition.requires = [Feature.condition.rawValue]
        (clear.ifChangeCount, clear.ifEpoch, clear.requires) = (5_000, 77, condition.requires)
        for request in [terms, addition, condition, clear] as [any WireMessage] {
            broker.send(request, on: broker.newStream(of: peer), from: peer)
        }
        #expect(broker.take(peer).codes == [ErrorCode](repeating: .invalidArgument, count: 4))
        #expect(broker.held.writes == 0 && broker.closed.isEmpty)
    }

    @Test("The name of a file that is too long is malformed")
    func fileName() {
        let broker = StateHarness()
        let peer = broker.connect()
        var representation = Representation("a")
        representation.file = FileAttributes()
        representation.file?.name = [UInt8](repeating: 97, count: 256)
        broker.write([Item([representation])], from: peer)
        #expect(broker.take(peer).codes == [.limitExceeded])
    }

    // MARK: Drag sessions

    @Test("A destination that releases its name in a drop gets no result")
    func releasedName() {
        var scene = DragScene(dropReports: true)
        scene.dropped(.copy)
        scene.fetch()
        _ = scene.framesToDestination()
        scene.broker.send(Cancel(), on: scene.shelf, from: scene.destination)
        #expect(scene.framesToDestination().kinds == [.end])
        #expect(scene.result().transferred?.failure?.code == .destinationGone)
    }

    @Test("A load that is refused at once does not count as a load of the drop")
    func refusedLoad() {
        var scene = DragScene(dropReports: true)
        scene.dropped(.copy)
        let refused = [
            scene.load { $0.accepts = [Accept("com.example.none")] }, scene.load(7),
        ]
        let frames = scene.framesToDestination()
        #expect(refused.map { frames.on($0).codes } == [[.typeUnavailable], [.nothingHere]])
        scene.performed()
        #expect(scene.result().kinds == [.end])
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
