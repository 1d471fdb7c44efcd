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

    @Test("Hello is accepted once, and determines the answer and the negotiated features")
    func hello() throws {
        var peers = Peers(process: 7)
        var context = BrokerContext(limits: BrokerLimits(), epoch: 3)
        let peer = try Self.connect(&peers, &context)
        let found = peers.find(peer)
        let slot = try #require(found)
        #expect(peers.awaitsHello(slot) == true)
        var hello = Hello()
        hello.label = "editor\n"
        hello.features = [Feature.descriptors.rawValue, 9_999]
        try peers.greet(hello, from: peer, &context)
        #expect(peers.awaitsHello(slot) == false)
        #expect(peers[slot].name == "\"editor\" (pid 1)")
        let welcome = try #require(context.takeFrames().first?.frame.decode(Welcome.self))
        #expect(welcome.epoch == 3 && welcome.process == 7)
        #expect(welcome.features == [Feature.descriptors.rawValue])
        #expect(throws: Failure.self) { try Self.again(hello, peer, &peers, &context) }
    }

    private static func again(
        _ hello: Hello,
        _ peer: PeerID,
        _ peers: inout Peers,
        _ context: inout BrokerContext
    ) throws {
        try peers.greet(hello, from: peer, &context)
    }

    @Test(
        "Client streams are odd and increasing; a frame on an ended stream is late, one on a new stream a violation"
    )
    func streams() throws {
        var peers = Peers()
        var context = BrokerContext(limits: BrokerLimits())
        let peer = try Self.connect(&peers, &context)
        let found = peers.find(peer)
        let slot = try #require(found)
        try peers.open(5, by: slot)
        for stream: UInt64 in [3, 5, 6] {
            do throws(Failure) {
                try peers.open(stream, by: slot)
                Issue.record("stream \(stream) was opened after 5")
            } catch {
                #expect(error.code == .protocolViolation)
            }
        }
        #expect(peers.knownTarget(of: 5, at: slot) == nil)
        try peers.checkIsLate(5, at: slot)
        peers.setTarget(.wait(WaitID(slot: 0, generation: 1)), of: 5, at: peer)
        #expect(peers.knownTarget(of: 5, at: slot) != nil)
        do throws(Failure) {
            try peers.checkIsLate(7, at: slot)
            Issue.record("stream 7 was never opened")
        } catch {
            #expect(error.code == .protocolViolation)
        }
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

    @Test(
        "If the pool of queued bytes is exceeded, the largest backlog of the largest process is selected for removal"
    )
    func backlog() throws {
        var limits = BrokerLimits()
        limits.controlPool = 100
        var peers = Peers()
        var context = BrokerContext(limits: limits)
        let small = try Self.connect(&peers, &context, pid: 1)
        let (first, second) = (try Self.connect(&peers, &context, pid: 2), try Self.connect(&peers, &context, pid: 2))
        peers.setUnread(50, of: small, isHeldUp: false, hasRead: false, &context)
        peers.setUnread(20, of: first, isHeldUp: false, hasRead: false, &context)
        peers.setUnread(30, of: second, isHeldUp: false, hasRead: false, &context)
        #expect(peers.overfull(context)?.peer == nil)
        peers.setPartial(15, of: first, &context)
        #expect(peers.overfull(context)?.peer == first)
        peers.remove(first, &context)
        #expect(peers.overfull(context)?.peer == nil)
        #expect(context.accounting.queued == 80)
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
    private func entry(_ number: Int, label: String = "") -> ClosedPeers.Entry {
        ClosedPeers.Entry(process: ProcessKey(pid: UInt32(number), identity: 1), label: label, reason: nil, at: 0)
    }

    @Test("The names of the last 256 connections are remembered, and repeated ones count once")
    func remembered() {
        var closed = ClosedPeers()
        let first = entry(0, label: "first")
        closed.note(first)
        for number in 1...255 {
            for _ in 0..<2 { closed.note(entry(number)) }
        }
        #expect(closed.label(of: first.process) == "first")
        closed.note(entry(256))
        #expect(closed.label(of: first.process) == nil)
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
