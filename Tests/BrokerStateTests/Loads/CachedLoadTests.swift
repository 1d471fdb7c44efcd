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

    @Test("An end that arrives after the last byte was delivered ends every load", arguments: [0, 3])
    mutating func lateEnd(_ count: Int) throws {
        let (loads, ask) = try self.loads(2, credit: 3)
        if count > 0 { broker.data(count: count, on: ask, from: source) }
        #expect(broker.take(reader).ends.isEmpty)
        broker.send(End(byteCount: UInt64(count)), on: ask, from: source)
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).ends.count == 1 && frames.on(load).codes.isEmpty) }
        #expect(isClean && broker.held.keptBytes == UInt64(count))
    }

    @Test("A complete representation outlives its source, and is passed as a descriptor if it is large")
    mutating func kept() throws {
        let (_, ask) = try self.loads(1)
        broker.data(count: 200_000, last: true, on: ask, from: source)
        _ = broker.take(reader)
        broker.disconnect(source)
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        let answers = broker.take(reader).on(load)
        #expect(answers.kinds == [.answer] && answers[0].passing != nil)
        #expect(answers[0].decode(Answer.self).byteCount == 200_000)
        broker.clear(from: reader)
        #expect(broker.openMemory == 0 && broker.held.keptBytes == 0)
    }

    @Test("Loads that joined stay inline, even if they accept a descriptor")
    mutating func inline() throws {
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 100_000, on: ask, from: source)
        let late = broker.load(from: reader) { $0.descriptorWelcome = true }
        broker.data(count: 1, last: true, on: ask, from: source)
        let frames = broker.take(reader)
        for stream in [load, late] {
            #expect(frames.on(stream).bytes.count == 100_001)
            #expect(frames.on(stream).allSatisfy { $0.passing == nil })
        }
    }

    @Test("The announced size is passed on and binds the source; only loads with a smaller limit fail")
    mutating func announced() throws {
        let small = broker.load(from: reader) { $0.maximumByteCount = 3 }
        let load = broker.load(from: reader) { $0.maximumByteCount = 4 }
        let ask = try #require(broker.takeAsks(source).first)
        var answer = Answer(byteCount: 4)
        answer.content = .folderArchive
        broker.send(answer, on: ask, from: source)
        let first = broker.take(reader)
        #expect(first.on(small).codes == [.tooLarge] && first.on(load).kinds == [.answer])
        broker.load(from: reader) { $0.maximumByteCount = 3 }
        #expect(broker.take(reader).codes == [.tooLarge])
        #expect(broker.held.keptBytes == 4, "room is taken before the bytes come")
        broker.data([1, 2, 3, 4], last: true, on: ask, from: source)
        let late = broker.load(from: reader)
        let frames = first + broker.take(reader)
        for stream in [load, late] {
            let answer = try #require(frames.on(stream).first(Answer.self))
            #expect(
                answer.byteCount == 4 && answer.content == .folderArchive && frames.on(stream).bytes == [1, 2, 3, 4]
            )
        }
        #expect(isClean)
    }

    @Test("If the bytes exceed the limit of a load, only that load ends, whenever it joined")
    mutating func tooLarge() throws {
        let (loads, ask) = try self.loads(1)
        let early = broker.load(from: reader) { $0.maximumByteCount = 2 }
        broker.data([1, 2, 3], on: ask, from: source)
        let late = broker.load(from: reader) { $0.maximumByteCount = 2 }
        let frames = broker.take(reader)
        for load in [early, late] { #expect(frames.on(load).codes == [.tooLarge] && frames.on(load).bytes.isEmpty) }
        broker.data([4], last: true, on: ask, from: source)
        #expect(broker.take(reader).on(loads[0]).last?.last == true)
    }

    @Test(
        "Each load has its own credit: a load without credit delays no other load, and reads the kept bytes later",
        .tags(.f41)
    )
    mutating func credit() throws {
        let slow = broker.load(from: reader, credit: 0)
        let (loads, ask) = (
            [broker.load(from: reader)], try #require(broker.takeAsks(source).first)
        )
        broker.data(count: 1_000, last: true, on: ask, from: source)
        let frames = broker.take(reader)
        #expect(frames.on(loads[0]).bytes.count == 1_000 && frames.on(slow).kinds == [.answer])
        broker.disconnect(source)
        broker.credit(400, on: slow, from: reader)
        #expect(broker.take(reader).on(slow).bytes.count == 400)
        broker.credit(1_000, on: slow, from: reader)
        let rest = broker.take(reader).on(slow)
        #expect(rest.bytes.count == 600 && rest.last?.last == true)
        #expect(isClean)
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

    @Test("The source's progress reaches every load and extends the deadline of the cached load")
    mutating func progress() throws {
        let (loads, ask) = try self.loads(3)
        for _ in 0..<4 {
            broker.advance(by: 20_000)
            broker.send(Progress(), on: ask, from: source)
        }
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).kinds == [.progress, .progress, .progress, .progress]) }
        broker.data([1], last: true, on: ask, from: source)
        #expect(broker.take(reader).ends.count == 3)
    }

    @Test("Two simultaneous cached loads of one item are independent")
    mutating func two() throws {
        broker.promiseOnce("x", "y", from: source)
        let loads = ["x", "y", "x", "y"].map { type in
            broker.load(from: reader) { $0.accepts = [Accept(type, match: .exact)] }
        }
        let asks = broker.takeAsks(source)
        #expect(asks.count == 2)
        broker.data([1], on: asks[0], from: source)
        broker.data([2], last: true, on: asks[1], from: source)
        broker.send(Failure(.sourceFailed, "no"), on: asks[0], from: source)
        let frames = broker.take(reader)
        for index in [0, 2] { #expect(frames.on(loads[index]).codes == [.sourceFailed]) }
        for index in [1, 3] { #expect(frames.on(loads[index]).bytes == [2]) }
        let provisions = broker.list(from: reader).first(Item.self)?.representations.map(\.provision)
        #expect(provisions == [0, 1])
    }

    @Test("Loads of the writer's own process join too, also while the ask waits for its turn")
    mutating func own() throws {
        let source = broker.connect("s", maximumStreams: 1)
        broker.promise("other", board: "b", from: source)
        broker.promiseOnce(from: source)
        broker.load(from: reader) { $0.board = "b" }
        let first = broker.load(from: source)
        let second = broker.load(from: source)
        let asks = broker.takeAsks(source)
        #expect(asks.count == 1)
        broker.data([9], last: true, on: asks[0], from: source)
        let ask = try #require(broker.takeAsks(source).first)
        broker.data([1], last: true, on: ask, from: source)
        let frames = broker.take(source)
        #expect(frames.on(first).bytes == [1] && frames.on(second).bytes == [1])
    }

    @Test("Loads that joined outlive a replacement of the board, and the last of them releases the memory")
    mutating func replaced() throws {
        let (loads, ask) = try self.loads(2, credit: 1)
        broker.data([1], on: ask, from: source)
        broker.clear(from: reader)
        broker.data([2], last: true, on: ask, from: source)
        for load in loads { broker.credit(2, on: load, from: reader) }
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).bytes == [1, 2]) }
        #expect(broker.openMemory == 0 && isClean)
    }

    @Test("The policy once-and-kept is accepted only for promises of items that require the feature")
    mutating func policy() {
        for (policy, kept, requires, isTaken) in [
            (0, false, [], true), (0, true, [], true), (1, false, [3], true), (1, false, [], false),
            (1, true, [3], false), (2, false, [3], false), (77, false, [3], false),
        ] as [(RepresentationPolicy, Bool, [UInt32], Bool)] {
            var item = Item([Representation("a", kept: kept)])
            item.representations[0].policy = policy
            item.requires = requires
            broker.write([item], kept: [[1]], from: source)
            let frames = broker.take(source).filter { $0.kind != .end }
            #expect(frames.codes == (isTaken ? [] : [.invalidArgument]), "policy \(policy), \(requires)")
        }
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
