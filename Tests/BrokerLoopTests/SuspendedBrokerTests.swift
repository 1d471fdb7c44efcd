import BrokerLoop
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A broker that was suspended for longer than every deadline, while its peers sent what they had to.
@Suite(.pure) struct SuspendedBrokerTests {
    private let time = SteppedTime()
    private let broker: SteppedBroker

    init() throws {
        let limits = ["hello=5s", "first-byte=10s", "progress=10s", "proposal=500ms"]
        broker = try SteppedBroker(limits: limits, time: time)
    }

    /// An item with one promised representation.
    private static var promise: Item {
        var item = Item()
        var representation = Representation()
        representation.type = "public.data"
        representation.provision = .promised
        item.representations = [representation]
        return item
    }

    /// The times for which the broker is suspended: until just after a deadline, and far beyond it.
    private nonisolated static let times: [UInt64] = [10_100, 12_000, 3_600_000]

    @Test("A hello that was sent in time is answered", arguments: times)
    func hello(_ milliseconds: UInt64) throws {
        let peer = try broker.connectSilently()
        peer.queue(Hello(), stream: 0)
        try peer.push()
        time.advance(by: milliseconds)
        try broker.step()
        #expect(try peer.hear().map(\.kind) == [.welcome])
    }

    @Test("A source whose last bytes wait in its socket has not stalled", .tags(.f77), arguments: times)
    func load(_ milliseconds: UInt64) throws {
        let (source, reader, load, ask) = try begin()
        source.queueData([1], stream: ask, last: false)
        try broker.step(sending: source)
        _ = try reader.hear()
        source.queueData([2], stream: ask, last: true)
        try source.push()
        time.advance(by: milliseconds)
        try broker.step(2)
        let frames = try reader.hear().filter { $0.stream == load }
        #expect(frames.map(\.kind) == [.data] && frames.last?.payload == [2])
        #expect(!source.isEnded)
    }

    @Test(
        "Contents whose time has passed during a suspension of the broker or the machine are gone before the next load",
        .tags(.f77),
        arguments: [true, false]
    )
    func expiry(_ isMachine: Bool) throws {
        let writer = try broker.connect()
        let stream = writer.newStream()
        var write = Write("board")
        write.terms = ContentTerms()
        write.terms?.expiresMilliseconds = 60_000
        write.requires = [Feature.terms.rawValue]
        writer.queue(write, stream: stream)
        writer.queue(Self.promise, stream: stream)
        writer.queue(Commit(items: 1), stream: stream)
        try broker.step(sending: writer)
        #expect(try writer.hear().map(\.kind) == [.committed])
        let reader = try broker.connect()
        reader.queue(Load("board"), stream: reader.newStream())
        try reader.push()
        if isMachine { time.suspend(for: 60_000) } else { time.advance(by: 60_000) }
        try broker.step()
        #expect(try reader.hear().first?.decoded(as: Failure.self).code == .nothingHere)
        #expect(try writer.hear().first?.decoded(as: End.self).reason == .expired)
    }

    @Test("A write whose rest and commit wait in its socket is committed", arguments: times)
    func write(_ milliseconds: UInt64) throws {
        let writer = try broker.connect()
        let stream = writer.newStream()
        writer.queue(Write("board"), stream: stream)
        try broker.step(sending: writer)
        writer.queue(Self.promise, stream: stream)
        writer.queue(Commit(items: 1), stream: stream)
        try writer.push()
        time.advance(by: milliseconds)
        try broker.step()
        #expect(try writer.hear().map(\.kind) == [.committed])
    }

    @Test("A destination whose proposal waits in its socket has answered", arguments: times)
    func proposal(_ milliseconds: UInt64) throws {
        let destination = try broker.connect()
        var shelf = Destination()
        shelf.name = "shelf"
        destination.queue(shelf, stream: destination.newStream())
        try broker.step(sending: destination)
        _ = try destination.hear()
        let source = try broker.connect()
        let drag = try beginDrag(by: source)
        var move = Move()
        move.location = Location()
        move.location?.destination = "shelf"
        source.queue(move, stream: drag)
        try broker.step(sending: source)
        let enter = try #require(try destination.hear().first { $0.kind == .enter })
        var proposal = Proposal()
        proposal.sequence = 1
        proposal.operation = .copy
        destination.queue(proposal, stream: enter.stream)
        try destination.push()
        time.advance(by: milliseconds)
        try broker.step(2)
        let answer = try #require(try source.hear().last { $0.kind == .proposal })
        #expect(try answer.decoded(as: Proposal.self).operation == .copy)
    }

    @Test("A source that has sent nothing is late a moment after the broker goes on, and not before", .tags(.f77))
    func lateSource() throws {
        let (source, reader, load, _) = try begin()
        // The deadlines of the connections, which have sent hello, are due before that of the load.
        for milliseconds: UInt64 in [5_100, 12_000] {
            time.advance(by: milliseconds)
            try broker.step(2)
            #expect(try reader.hear().isEmpty)
        }
        time.advance(by: 300)
        try broker.step(2)
        let frames = try reader.hear().filter { $0.stream == load }
        #expect(frames.map(\.kind) == [.error])
        #expect(try frames.last?.decoded(as: Failure.self).code == .sourceStalled)
        #expect(!source.isEnded)
    }

    /// A load that its source has been asked for.
    private func begin() throws -> (source: SteppedPeer, reader: SteppedPeer, load: UInt64, ask: UInt64) {
        let source = try broker.connect()
        let reader = try broker.connect()
        try broker.publish(on: "board", by: source)
        let load = reader.newStream()
        reader.queue(Load("board"), stream: load)
        try broker.step(sending: reader)
        let ask = try #require(try source.hear().first { $0.kind == .ask })
        return (source, reader, load, ask.stream)
    }

    private func beginDrag(by source: SteppedPeer) throws -> UInt64 {
        let stream = source.newStream()
        source.queue(Drag(), stream: stream)
        source.queue(Self.promise, stream: stream)
        source.queue(Commit(items: 1), stream: stream)
        source.queue(Begin(), stream: stream)
        try broker.step(sending: source)
        _ = try source.hear()
        return stream
    }
}
