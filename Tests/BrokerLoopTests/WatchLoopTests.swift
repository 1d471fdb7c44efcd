import BrokerState
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// Watches of boards over sockets: pieces, peers that do not read, and the time of the rounds.
@Suite(.pure) struct WatchLoopTests {
    private let time = SteppedTime()
    private let broker: SteppedBroker
    private let writer: SteppedPeer

    init() throws {
        broker = try SteppedBroker(time: time)
        writer = try broker.connect()
    }

    /// Connects a peer with watches of the board `shared`.
    private func watcher(_ count: Int, buffer: CInt? = nil) throws -> SteppedPeer {
        let peer = try broker.connect(buffer: buffer)
        for _ in 0..<count {
            var watch = Watch()
            watch.board = "shared"
            watch.credit = .max
            peer.queue(watch, stream: peer.newStream())
        }
        var registered = 0
        for _ in 0..<1_000 where registered < count {
            try broker.step(sending: peer)
            registered += try peer.hear().count { $0.kind == .registered }
        }
        #expect(registered == count)
        return peer
    }

    /// Lets a peer read until nothing more comes. Returns the last change count of each stream.
    private func read(_ peer: SteppedPeer) throws -> [UInt64: UInt64] {
        var counts: [UInt64: UInt64] = [:]
        var quiet = 0
        while quiet < 5 {
            try broker.step()
            let frames = try peer.hear().filter { $0.kind == .change }
            quiet = frames.isEmpty ? quiet + 1 : 0
            for frame in frames { counts[frame.stream] = try frame.decoded(as: Change.self).changeCount }
        }
        return counts
    }

    @Test(
        "A change of a board with 4,096 watches is sent in pieces, and no turn costs more than its bound",
        .tags(.f47)
    )
    func pieces() throws {
        let watchers = try (0..<4).map { _ in try watcher(1_024) }
        try broker.publish(on: "shared", by: writer)
        var heard: [UInt64: Int] = [:]
        var (turns, greatest) = (0, 0)
        while turns < 10_000, heard.values.reduce(0, +) < 4_096 {
            let start = broker.loop.state.world.context.cost
            try broker.step()
            greatest = max(greatest, broker.loop.state.world.context.cost - start)
            turns += 1
            for peer in watchers {
                for frame in try peer.hear() where frame.kind == .change { heard[frame.stream, default: 0] += 1 }
            }
        }
        #expect(heard.count == 1_024 && heard.values.allSatisfy { $0 == 4 })
        #expect(turns > 4 && greatest < BrokerLoop.turnCost, "\(turns) turns, at most \(greatest)")
    }

    @Test("A peer that does not read its changes keeps its connection, and others do not wait for it", .tags(.f28))
    func unread() throws {
        let silent = try watcher(2_000, buffer: 4_096)
        let other = try watcher(1)
        for number in 1...20 {
            try broker.publish(on: "shared", by: writer)
            try broker.step(3)
            time.advance(by: 100)
            try broker.step(3)
            #expect(try read(other).count == 1, "change \(number)")
        }
        for peer in broker.loop.connectionIDs {
            #expect(broker.loop.queuedControlBytes(of: peer) <= 64 << 10)
        }
        #expect(!silent.isEnded)
        // A request of the peer is answered, too.
        let last = try broker.answer(List("shared"), to: other).first?.decoded(as: Contents.self).changeCount
        let counts = try read(silent)
        #expect(counts.count == 2_000 && Set(counts.values) == [last ?? 0])
        #expect(!silent.isEnded)
    }

    @Test("A change that follows another one is sent when 100 ms have passed, without other input")
    func rounds() throws {
        let peer = try watcher(1)
        try broker.publish(on: "shared", by: writer)
        #expect(try read(peer).count == 1)
        try broker.publish(on: "shared", by: writer)
        #expect(try read(peer).isEmpty)
        time.advance(by: 99)
        #expect(try read(peer).isEmpty)
        time.advance(by: 1)
        #expect(try read(peer).count == 1)
    }
}

extension BrokerLoop {
    fileprivate var connectionIDs: [PeerID] {
        mutating get { connections.ids.compactMap { id in connections.find(id).map { connections[$0].peer } } }
    }

    fileprivate mutating func queuedControlBytes(of peer: PeerID) -> Int {
        find(peer).map { connections[$0].output.controlCount } ?? 0
    }
}
