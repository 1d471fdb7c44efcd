import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Details that the protocol's documents state and that another implementation is likely to decide otherwise.
@Suite("Details of the rules", .pure) struct RuleDetailTests {
    // MARK: Loads

    @Test("An ask contains the rest of the load's timeout, or else the time of the representation")
    func firstByteTime() {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        for (timeout, expected) in [(nil, 30_000), (1_234, 1_234), (0, 86_400_000)] as [(UInt64?, UInt64)] {
            broker.load(from: reader) { $0.timeoutMilliseconds = timeout }
            #expect(broker.take(source).first(Ask.self)?.firstByteMilliseconds == expected)
        }
    }

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

    @Test("A source without credit is not late, and its time starts anew with the credit")
    func withoutCredit() {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        let load = broker.load(from: reader, credit: 0)
        broker.advance(by: 3_600_000)
        broker.credit(1, on: load, from: reader)
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

    @Test("The name of a file that is too long is malformed, and other wrong names are invalid")
    func fileNames() {
        let broker = StateHarness()
        let peer = broker.connect()
        let long = [UInt8](repeating: 97, count: 256)
        for (name, code) in [(long, ErrorCode.limitExceeded), (Array("a/b".utf8), .invalidArgument)] {
            var representation = Representation("a")
            representation.file = FileAttributes()
            representation.file?.name = name
            let stream = broker.write([Item([representation])], from: peer)
            #expect(broker.take(peer).on(stream).codes == [code])
        }
    }

    @Test("A descriptor cannot follow bytes of the same representation")
    func descriptorAfterBytes() {
        let broker = StateHarness()
        let peer = broker.connect(descriptors: true)
        let stream = broker.begin(from: peer)
        broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
        broker.data([1], on: stream, from: peer)
        broker.pass(.sealedMemory(byteCount: 5), kind: .data, on: stream, from: peer)
        #expect(broker.take(peer).on(stream).codes == [.invalidArgument])
    }

    @Test(
        "A group, a wire type that does not exist and a wrong field number are malformed in unknown fields, too",
        arguments: [[0xFB, 0x01], [0xFC, 0x01], [0xFE, 0x01], [0xFF, 0x01], [0x00, 0x00]] as [[UInt8]]
    )
    func unknownFields(_ payload: [UInt8]) {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.raw(kind: FrameKind.list.rawValue, payload: payload, on: 1, from: peer)
        #expect(broker.take(peer).on(1).codes == [.invalidArgument])
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
