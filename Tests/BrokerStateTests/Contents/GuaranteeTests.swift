import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The general board has room for something small, even if living processes have taken everything.
@Suite(.pure) struct GuaranteeTests {
    private static let small = 64 << 10

    private static func kept(_ count: Int?) -> Item {
        Item([Representation("a", byteCount: count.map { UInt64($0) }, kept: true)])
    }

    /// A broker whose pools living processes have used up, and a process that has nothing.
    private static func full(
        _ configure: (inout BrokerLimits) -> Void
    ) -> (broker: StateHarness, greedy: [PeerID], other: PeerID) {
        let broker = StateHarness(configure)
        var greedy: [PeerID] = []
        while true {
            let peer = broker.connect()
            guard broker.held.peers < 1_000 else {
                Issue.record("the pools are never full")
                break
            }
            var count = 0
            repeat {
                broker.write([kept(1)], kept: [[1]], board: "b\(peer.rawValue)-\(count)", from: peer)
                count += 1
            } while broker.take(peer).codes.isEmpty
            guard count > 1 else { return (broker, greedy, peer) }
            greedy.append(peer)
        }
        return (broker, greedy, broker.connect())
    }

    private static let pools: [@Sendable (inout BrokerLimits) -> Void] = [
        { $0.keptPool = 100 }, { $0.keptRepresentations = 20 }, { $0.objects = 100 }, { $0.metadata = 200 },
        { $0.boards = 20 },
    ]

    @Test("With any pool full of living processes, another one copies to the general board", arguments: pools.indices)
    func full(_ pool: Int) {
        for announces in [true, false] {
            let (broker, greedy, other) = Self.full(Self.pools[pool])
            let bytes = [UInt8](repeating: 7, count: Self.small)
            for _ in 0..<3 {
                broker.write([Self.kept(announces ? bytes.count : nil)], kept: [bytes], from: other)
                #expect(broker.take(other).kinds.last == .committed && broker.brokenInvariants().isEmpty)
            }
            // The contents outlive their writer, and nobody else's are cleared for them.
            broker.disconnect(other)
            #expect(broker.evictions.isEmpty && broker.openMemory >= 1)
            for peer in greedy.dropFirst() { broker.disconnect(peer) }
            let load = broker.load(from: greedy[0])
            #expect(broker.take(greedy[0]).on(load).bytes == bytes)
            broker.clear(from: greedy[0])
            for index in 0..<20 { for peer in greedy { broker.clear("b\(peer.rawValue)-\(index)", from: greedy[0]) } }
            #expect(broker.brokenInvariants().isEmpty)
        }
    }

    @Test("What is not small, not alone, or for another board is refused as before", arguments: [0, 2])
    func refused(_ pool: Int) {
        let (broker, _, other) = Self.full(Self.pools[pool])
        let held = broker.held
        for (items, board) in [
            ([Self.kept(Self.small + 1)], nil), ([Self.kept(1)], "another"), ([Self.kept(1), Self.kept(1)], nil),
            ([Self.kept(1), Item("promise")], nil),
            ([Item([Representation("a", kept: true), Representation("b", kept: true)])], nil),
        ] as [([Item], String?)] {
            let bytes = [[UInt8]](repeating: [1], count: 2)
            broker.write(items, kept: bytes, board: board, from: other)
            #expect(broker.take(other).codes.count == 1)
            #expect(broker.held == held && broker.brokenInvariants().isEmpty)
        }
        let growing = broker.begin(from: other)
        broker.send(Self.kept(nil), on: growing, from: other)
        broker.data(count: Self.small, on: growing, from: other)
        #expect(broker.take(other).isEmpty)
        broker.data([1], on: growing, from: other)
        #expect(broker.take(other).codes == [.limitExceeded] && broker.held == held)
    }

    @Test("A pending write without room is displaced by a newer one, so that none keeps others out")
    func displaced() {
        let (broker, _, other) = Self.full { $0.keptPool = 100 }
        let slow = broker.begin(from: other)
        broker.send(Self.kept(Self.small), on: slow, from: other)
        let third = broker.connect()
        broker.write([Self.kept(1)], kept: [[1]], from: third)
        #expect(broker.take(third).kinds == [.committed])
        #expect(broker.take(other).on(slow).codes == [.limitExceeded])
        #expect(broker.held.writes == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("Loads of contents without room end when other such contents replace them")
    func loaded() {
        let (broker, greedy, other) = Self.full { $0.keptPool = 100 }
        let bytes = [UInt8](repeating: 7, count: Self.small)
        for count in 1...3 {
            broker.write([Self.kept(Self.small)], kept: [bytes], from: other)
            #expect(broker.take(other).kinds.last == .committed)
            broker.load(from: greedy[0], credit: 1)
            #expect(broker.take(greedy[0]).codes == (count == 1 ? [] : [.superseded]))
            #expect(broker.held.loads == 1 && broker.held.keptBytes < Self.small + 200)
        }
        broker.clear(from: other)
        #expect(broker.held.loads == 1 && broker.brokenInvariants().isEmpty)
        // The running load still holds the only place, and loses it.
        _ = broker.take(other)
        broker.write([Self.kept(1)], kept: [[1]], from: other)
        #expect(broker.take(other).kinds == [.committed] && broker.held.loads == 0)
    }

    @Test("A promise on the general board needs no room either")
    func promised() {
        let (broker, greedy, other) = Self.full { $0.objects = 100 }
        broker.write([Item("a")], from: other)
        #expect(broker.take(other).kinds == [.committed])
        broker.disconnect(greedy[0])
        let load = broker.load(from: other)
        let ask = broker.takeAsks(other).first ?? 0
        broker.data([1, 2], last: true, on: ask, from: other)
        #expect(broker.take(other).on(load).bytes == [1, 2])
        #expect(broker.brokenInvariants().isEmpty)
    }
}
