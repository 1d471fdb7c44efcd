import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Many processes that take as much as they may, and one that needs a little.
@Suite(.pure) struct GreedyProcessesTests {
    private static let count = thinned(16, full: 64)

    private let broker = StateHarness {
        $0.keptPool = 1 << 30
        $0.objects = 1 << 16
        $0.metadata = 16 << 20
    }

    /// Acquires boards, kept representations, bytes, metadata, destinations, waits and drag sessions until each is
    /// refused.
    private func acquireAll(_ number: Int, from peer: PeerID) {
        repeatUntilRefused(peer) { broker.write([Item("a")], board: "\(number)-\($0)", from: peer) }
        repeatUntilRefused(peer) { _ in
            let stream = broker.begin(board: "\(number)-0", from: peer)
            let types = (0..<64).map { Representation("a.t\($0)", byteCount: 1 << 20, kept: true) }
            broker.send(Item(types), on: stream, from: peer)
        }
        repeatUntilRefused(peer) { _ in
            let stream = broker.begin(board: "\(number)-0", from: peer)
            broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
        }
        repeatUntilRefused(peer) { _ in
            let stream = broker.begin(board: "\(number)-0", from: peer)
            for _ in 0..<500 { broker.send(Item("a"), on: stream, from: peer) }
        }
        repeatUntilRefused(peer) { broker.register("\(number)-\($0)", from: peer) }
        repeatUntilRefused(peer) { _ in broker.offer(from: peer) }
    }

    private func repeatUntilRefused(_ peer: PeerID, _ body: (Int) -> Void) {
        for count in 0..<10_000 {
            body(count)
            guard broker.take(peer).codes.isEmpty else { return }
        }
        Issue.record("a process was never refused")
    }

    /// Does the work of any program: it copies, promises on a board of its own, receives and offers a drag, and lists.
    private func checkService(process: UInt32? = nil) {
        let peer = broker.connect(process: process)
        let bytes = [UInt8](repeating: 1, count: 60_000)
        let copy = Item([Representation("public.data", byteCount: 60_000, kept: true)])
        broker.write([copy], kept: [bytes], from: peer)
        #expect(broker.take(peer).kinds == [.committed])
        #expect(broker.promise("a", board: "new", from: peer).handle != nil)
        broker.clear("new", from: peer)
        broker.write([Item("b")], board: "newer", from: peer)
        #expect(broker.take(peer).codes.isEmpty)
        broker.register("newcomer", from: peer)
        broker.offer(from: peer)
        #expect(broker.take(peer).kinds == [.registered, .committed])
        let load = broker.load(from: peer)
        #expect(broker.take(peer).on(load).bytes.count == 60_000)
        #expect(broker.list("newer", from: peer).first(Item.self)?.representations.map(\.type) == ["b"])
        #expect(broker.brokenInvariants().isEmpty)
        broker.disconnect(peer)
    }

    @Test(
        "While many living processes hold all that they may, another one can copy, promise, drag, drop and list",
        .tags(.f43, .f46)
    )
    func living() {
        let greedy = (1...Self.count).map { broker.connect(process: UInt32($0)) }
        for (number, peer) in greedy.enumerated() { acquireAll(number, from: peer) }
        checkService(process: UInt32(Self.count) + 1)
        checkService(process: UInt32(Self.count) + 2)
        for peer in greedy { broker.disconnect(peer) }
        #expect(broker.held.destinations == 0 && broker.held.sessions == 0)
    }

    @Test("After many processes that have kept all that they may and have ended, another one is served")
    func ended() {
        for number in 1...Self.count {
            let peer = broker.connect(process: UInt32(number))
            for count in 0..<64 {
                let types = (0..<24).map { Representation("a.t\($0)", byteCount: 1, kept: true) }
                broker.write(
                    [Item(types)],
                    kept: [[UInt8]](repeating: [1], count: 24),
                    board: "\(number)-\(count)",
                    from: peer
                )
            }
            broker.disconnect(peer)
        }
        #expect(!broker.evictions.isEmpty && !broker.evictions.contains { $0.board == "general" })
        checkService()
    }
}
