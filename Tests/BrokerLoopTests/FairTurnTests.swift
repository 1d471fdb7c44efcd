import BrokerState
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// Expensive requests of one process, and the number of turns that another process waits.
@Suite(.pure) struct FairTurnTests {
    private let broker: SteppedBroker
    private let source: SteppedPeer
    private let other: SteppedPeer

    init() throws {
        broker = try SteppedBroker()
        source = try broker.connect()
        other = try broker.connect()
    }

    /// The number of turns until a load of `other` is answered with its bytes.
    private func turnsOfLoad() throws -> Int {
        let stream = other.newStream()
        other.queue(Load("shared"), stream: stream)
        try other.push()
        for turn in 1...20 {
            try broker.step()
            for frame in try source.hear() where frame.kind == .ask {
                source.queueData([1], stream: frame.stream, last: true)
                try source.push()
            }
            if try other.hear().contains(where: { $0.stream == stream && $0.header.flags.contains(.last) }) {
                return turn
            }
        }
        throw ScriptedPeerError.nothingCame
    }

    @Test("Forty connections with expensive loads do not delay the load of another process", .tags(.f42))
    func dearLoads() throws {
        try broker.publish(on: "shared", by: source)
        let greedy = try (0..<40).map { _ in try broker.connect(process: 1) }
        var load = Load("shared")
        load.accepts = (0..<64).map { number in Accept("com.example.absent\(number)") }
        let undisturbed = try turnsOfLoad()
        for peer in greedy {
            for _ in 0..<100 { peer.queue(load, stream: peer.newStream()) }
            try peer.push()
        }
        let before = broker.loop.state.world.context.cost
        try broker.step()
        let cost = broker.loop.state.world.context.cost - before
        #expect(cost < BrokerLoop.turnCost + ReadingQueue.quantum)
        for _ in 0..<10 { #expect(try turnsOfLoad() <= undisturbed + 1) }
        let answered = try greedy.reduce(0) { $0 + (try $1.hear().count { $0.kind == .error }) }
        #expect(answered > 0 && answered < 4_000, "the greedy process is served, and not finished")
        for _ in 0..<1_000 { try broker.step() }
        let rest = try greedy.reduce(0) { $0 + (try $1.hear().count { $0.kind == .error }) }
        #expect(answered + rest == 4_000)
    }

    @Test("A list is sent in pieces, as the peer reads")
    func list() throws {
        try broker.publish(on: "large", size: 40_000, items: 20, by: source)
        let slow = try broker.connect(buffer: 4_096)
        slow.queueLists(of: "large", count: 2)
        try broker.step(sending: slow)
        for _ in 0..<20 { try broker.step() }
        // Without this rule, all 1.6 MB would wait here.
        #expect(try Self.queued(broker, for: other) < 160_000)
        var heard: [ScriptedPeer.Frame] = []
        for _ in 0..<5_000 where heard.count(where: { $0.kind == .end }) < 2 {
            heard += try slow.hear()
            try broker.step()
        }
        let list = [.contents] + [FrameKind](repeating: .item, count: 20) + [.end]
        #expect(heard.map(\.kind) == list + list)
    }

    private static func queued(_ broker: SteppedBroker, for peer: SteppedPeer) throws -> UInt64 {
        try broker.answer(Status(), to: peer, turns: 6).filter { $0.kind == .statusEntry }
            .map { try $0.decoded(as: StatusEntry.self) }.compactMap(\.counter)
            .first { $0.name == "bytes-queued" }?.value ?? 0
    }
}
