import BrokerLoop
import PasteboardWire
import TestSupport
import Testing

/// Connections of one process for which the broker holds many bytes, and the effect on other processes.
@Suite(.pure) struct UnreadTests {
    /// The number of bytes that wait for the peer to read, as the broker counts it.
    private static func queued(_ broker: SteppedBroker, for peer: SteppedPeer) throws -> UInt64 {
        let counters = try broker.answer(Status(), to: peer, turns: 20)
            .filter { $0.kind == .statusEntry }.compactMap { try $0.decoded(as: StatusEntry.self).counter }
        return try #require(counters.first { $0.name == "bytes-queued" }?.value)
    }

    private static func isEnded(_ peer: SteppedPeer) throws -> Bool {
        _ = try peer.hear()
        return peer.isEnded
    }

    @Test("Unread answers fill at most their pool, and only connections of the process that does not read are ended")
    func unreadAnswers() throws {
        let broker = try SteppedBroker(limits: ["control-pool=1MiB"])
        let (source, other) = (try broker.connect(), try broker.connect())
        try broker.publish(on: "large", size: 48_000, items: 3, by: source)
        let modest = try broker.connect(buffer: 4_096)
        modest.queueLists(of: "large", count: 1)
        try broker.step(sending: modest)
        let greedy = try (0..<40).map { _ in try broker.connect(buffer: 4_096, process: 1) }
        for peer in greedy {
            peer.queueLists(of: "large", count: 3)
            try broker.step(sending: peer)
        }
        #expect((500_000...1 << 20).contains(try Self.queued(broker, for: other)))
        // One answer of about 140 KB waits for each connection that has not ended.
        #expect(try broker.provision(on: "large", for: other) == .promised)
        var heard: [FrameKind?] = []
        for _ in 0..<500 {
            heard += try modest.hear().map(\.kind)
            try broker.step()
        }
        #expect(heard == [.contents, .item, .item, .item, .end])
        var ended = 0
        for _ in 0..<500 {
            ended = try greedy.count { try Self.isEnded($0) }
            try broker.step()
        }
        #expect((30...36).contains(ended))
        #expect(try Self.queued(broker, for: other) == 0)
    }

    @Test("Requests that wait for their sender to read, and parts of frames, fill at most the same pool")
    func unreadRequests() throws {
        let broker = try SteppedBroker(limits: ["control-pool=1MiB"])
        let other = try broker.connect()
        // A peer sees the end of its connection even while a child of the broker's process has a copy of the
        // descriptor.
        let greedy = try (0..<40).map { _ in try broker.connect(process: 1, copied: true) }
        for peer in greedy {
            peer.queuePartOfList(count: 50_000)
            // On a busy machine a socket may accept fewer bytes at once.
            repeat { try broker.step(sending: peer) } while peer.unsent > 0
            #expect(try Self.queued(broker, for: other) <= 1 << 20)
        }
        let ended = try greedy.count { try Self.isEnded($0) }
        #expect(ended == 20)
    }

    @Test(
        "A peer that sends a part of a frame and not its rest is disconnected",
        .tags(.f07),
        arguments: [1, 20, 50_000]
    )
    func standingFrame(_ count: Int) throws {
        let broker = try SteppedBroker(limits: ["progress=1ms"])
        let peer = try broker.connect()
        peer.queuePartOfList(count: count)
        try broker.step(sending: peer)
        var heard: [ErrorCode] = []
        while !peer.isEnded {
            try broker.step()
            heard += try peer.hear().filter { $0.kind == .error }.map { try $0.decoded(as: Failure.self).code }
        }
        #expect(heard == [.timeout])
    }

    @Test("A peer that reads nothing of an answer is disconnected")
    func standingAnswer() throws {
        let broker = try SteppedBroker(limits: ["progress=1ms"])
        let (source, other) = (try broker.connect(), try broker.connect())
        try broker.publish(on: "large", size: 48_000, items: 3, by: source)
        let peer = try broker.connect(buffer: 4_096)
        try broker.publish(on: "small", by: peer)
        peer.queueLists(of: "large", count: 1)
        try broker.step(sending: peer)
        // The promise of the disconnected peer ends with its connection.
        while try broker.provision(on: "small", for: other) == .promised {}
        #expect(try broker.provision(on: "small", for: other) == .gone)
    }
}
