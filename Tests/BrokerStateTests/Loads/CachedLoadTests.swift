import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Cached loads: representations that are asked for once and then kept, and the loads that join.
@Suite(.pure) struct CachedLoadTests {
    private let broker = StateHarness()
    private let source: PeerID

    init() {
        source = broker.connect("s")
        broker.promiseOnce(from: source)
    }

    private var isClean: Bool {
        broker.held.loads == 0 && broker.held.inTransfer == 0 && broker.brokenInvariants().isEmpty
    }

    @Test("A hundred simultaneous loads cause one ask, and each gets one answer and identical bytes", .tags(.f41))
    func joined() throws {
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

    @Test("If memory cannot be written, every load fails with no-space", arguments: [true, false])
    func unwritable(_ isLast: Bool) throws {
        let reader = broker.connect("r")
        let loads = (0..<2).map { _ in broker.load(from: reader) }
        let ask = try #require(broker.takeAsks(source).first)
        broker.data([1], on: ask, from: source)
        broker.isMemoryFull = true
        broker.data([2], last: isLast, on: ask, from: source)
        broker.isMemoryFull = false
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).codes == [.noSpace]) }
        #expect(isClean && broker.held.keptBytes == 0 && broker.openMemory == 0)
        // A later load asks again.
        let again = broker.load(from: reader)
        let next = try #require(broker.takeAsks(source).first)
        broker.data([5], last: true, on: next, from: source)
        #expect(broker.take(reader).on(again).bytes == [5])
    }
}

extension StateHarness {
    /// Publishes one item whose type has the policy once-and-kept, and takes `committed`.
    func promiseOnce(byteCount: UInt64? = nil, from peer: PeerID) {
        var item = Item([Representation("a.once", byteCount: byteCount)])
        item.requires = [Feature.onceAndKept.rawValue]
        item.representations[0].policy = .onceAndKept
        write([item], from: peer)
        _ = take(peer)
    }
}
