import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Cached loads: representations that are asked for once and then kept, and the loads that join.
@Suite(.pure) struct CachedLoadTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect("s")
        reader = broker.connect("r", descriptors: true)
        broker.promiseOnce(from: source)
    }

    /// Starts loads of one reader, and returns them with the only ask.
    private mutating func loads(_ count: Int, credit: UInt64 = 1 << 40) throws -> (loads: [UInt64], ask: UInt64) {
        let loads = (0..<count).map { _ in broker.load(from: reader, credit: credit) }
        let asks = broker.takeAsks(source)
        try #require(asks.count == 1)
        return (loads, asks[0])
    }

    private var isClean: Bool {
        broker.held.loads == 0 && broker.held.inTransfer == 0
            && broker.brokenInvariants().isEmpty
    }

    @Test("A hundred simultaneous loads cause one ask, and each gets one answer and identical bytes", .tags(.f41))
    mutating func joined() throws {
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let readers = (0..<10).map { broker.connect("r\($0)") }
        var loads: [(PeerID, UInt64)] = []
        for index in 0..<100 {
            let reader = readers[index % 10]
            // The loads have little, medium and much credit.
            loads.append((reader, broker.load(from: reader, credit: UInt64(index) * 20_000)))
        }
        let asks = broker.take(source)
        #expect(asks.kinds == [.ask])
        let ask = asks[0].decode(Ask.self)
        #expect(ask.descriptorWelcome == nil && ask.maximumByteCount == nil && ask.type == "a.once")
        var sent = 0
        while sent < bytes.count {
            let free = Int((broker.granted[asks[0].stream] ?? 0)) - sent
            try #require(free > 0, "the cached load does not wait for its loads' credit")
            let chunk = bytes[sent..<min(bytes.count, sent + min(free, 100_000))]
            sent += chunk.count
            broker.data(Array(chunk), last: sent == bytes.count, on: asks[0].stream, from: source)
        }
        for (reader, load) in loads { broker.credit(1 << 40, on: load, from: reader) }
        let inboxes = Dictionary(uniqueKeysWithValues: readers.map { ($0, broker.take($0)) })
        for (reader, load) in loads {
            let frames = (inboxes[reader] ?? []).on(load)
            #expect(frames.bytes == bytes && frames.last?.last == true && frames.first?.kind == .answer)
            #expect(frames.all(Answer.self).count == 1 && frames.ends.count == 1)
        }
        #expect(broker.takeAsks(source).isEmpty)
        #expect(isClean && broker.held.keptBytes == 600_000)
    }

    @Test("The source's credit is one window ahead of the stored bytes, however little room loads have")
    mutating func window() throws {
        let (_, ask) = try self.loads(1, credit: 0)
        #expect(broker.granted[ask] == 256 << 10)
        broker.data(count: 256 << 10, on: ask, from: self.source)
        #expect(broker.granted[ask] == 512 << 10)

        // The broker stores the bytes at once, so they need no room in the pool.
        broker = StateHarness { $0.transferPool = 1 }
        let source = broker.connect("s")
        let reader = broker.connect("r")
        broker.promiseOnce(from: source)
        broker.load(from: reader)
        let full = try #require(broker.takeAsks(source).first)
        #expect(broker.granted[full] == 256 << 10)
    }

}

extension StateHarness {
    /// Publishes one item whose types all have the policy once-and-kept, and takes `committed`.
    func promiseOnce(_ types: String..., byteCount: UInt64? = nil, from peer: PeerID) {
        var item = Item((types.isEmpty ? ["a.once"] : types).map { Representation($0, byteCount: byteCount) })
        item.requires = [Feature.onceAndKept.rawValue]
        for index in item.representations.indices { item.representations[index].policy = .onceAndKept }
        write([item], from: peer)
        _ = take(peer)
    }
}
