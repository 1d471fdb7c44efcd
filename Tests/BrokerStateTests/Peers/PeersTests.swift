import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct PeersTests {
    private static func connect(_ peers: inout Peers, _ context: inout BrokerContext, pid: UInt32 = 1) throws -> PeerID
    {
        try peers.connect(ProcessKey(pid: pid, identity: 1), &context)
    }

    @Test("A peer without hello, or with an incomplete frame, is late at its deadline and not before", .tags(.f02))
    func deadlines() throws {
        var peers = Peers()
        var context = BrokerContext(limits: BrokerLimits())
        let silent = try Self.connect(&peers, &context)
        let slow = try Self.connect(&peers, &context)
        try peers.greet(Hello(), from: slow, &context)
        peers.setPartial(3, of: slow, &context)
        #expect(Self.late(peers, &context).isEmpty)
        context.now = context.limits.hello
        #expect(Self.late(peers, &context) == [silent])
        context.now = context.limits.progress
        #expect(Self.late(peers, &context) == [silent, slow])
    }

    private static func late(_ peers: borrowing Peers, _ context: inout BrokerContext) -> [PeerID] {
        var late: [PeerID] = []
        var cursor: Peers.Slot?
        while let next = peers.nextLate(after: &cursor, &context) { late.append(next.peer) }
        return late
    }

    @Test("A peer from which nothing more is read still has the deadline for hello")
    func deaf() throws {
        var peers = Peers()
        var context = BrokerContext(limits: BrokerLimits())
        let peer = try Self.connect(&peers, &context)
        let found = peers.find(peer)
        let slot = try #require(found)
        peers.stoppedReading(peer)
        #expect(peers.awaitsHello(slot) == true)
        try peers.greet(Hello(), from: peer, &context)
        #expect(peers[slot].isDeaf == true)
        #expect(peers.awaitsHello(slot) == false)
    }
}

@Suite(.pure) struct ClosedPeersTests {
    private func entry(_ number: Int) -> ClosedPeers.Entry {
        ClosedPeers.Entry(process: ProcessKey(pid: UInt32(number), identity: 1), label: "", reason: nil, at: 0)
    }

    @Test("The last 16 connections are remembered, and repeated ones count once")
    func remembered() {
        var closed = ClosedPeers()
        for number in 0...16 {
            for _ in 0..<2 { closed.record(entry(number)) }
        }
        #expect(closed.entries.map(\.process.pid) == Array(1...16))
    }
}

extension BrokerContext {
    /// The frames to send, with their peers.
    mutating func takeFrames() -> [(peer: PeerID, frame: Frame)] {
        defer { outbox.removeAll() }
        return outbox.eachFrame.compactMap { send, header, payload in
            guard let kind = header.kind else { return nil }
            var frame = Frame(
                kind: kind,
                stream: header.stream,
                payload: payload,
                last: header.flags.contains(.last),
                order: send.order
            )
            frame.passing = send.passing?.descriptor
            return (send.peer, frame)
        }
    }
}
