import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents that can be loaded a limited number of times.
@Suite(.pure) struct LoadCountTests {
    private static func loadsLeft(_ broker: StateHarness, for reader: PeerID) -> UInt32? {
        broker.list(from: reader).first(Contents.self)?.terms?.maximumLoads
    }

    enum Failing: CaseIterable {
        case source, cancel, destination, sourceLeaves, timeout, tooLarge
    }

    @Test("A load that fails before a byte was sent gives its turn back", arguments: Failing.allCases)
    func givenBack(_ failing: Failing) throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let item = Item([Representation("a"), Representation("b", kept: true)])
        broker.write([item], kept: [[1]], terms: ContentTerms(loads: 1), from: writer)
        let (reader, other) = (broker.connect(), broker.connect())
        let load = broker.load(from: reader) {
            $0.accepts = [Accept("a", match: .exact)]
            $0.timeoutMilliseconds = 20_000
            $0.maximumByteCount = 5
        }
        let ask = try #require(broker.takeAsks(writer).first)
        switch failing {
        case .source: broker.send(Failure(.sourceFailed, "no"), on: ask, from: writer)
        case .cancel: broker.send(Cancel(), on: load, from: reader)
        case .destination: broker.disconnect(reader)
        case .sourceLeaves: broker.disconnect(writer)
        case .timeout: broker.advance(by: 20_000)
        case .tooLarge: broker.send(Answer(byteCount: 6), on: ask, from: writer)
        }
        #expect(Self.loadsLeft(broker, for: other) == 1)
        let second = broker.load(from: other) { $0.accepts = [Accept("b", match: .exact)] }
        #expect(broker.take(other).on(second).bytes == [1])
        #expect(broker.list(from: other).first(Contents.self)?.handle == nil)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A watch reports that the last load of an item has given its turn back, and no other one")
    func reported() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.promise("a", terms: ContentTerms(loads: 2), from: writer)
        let (reader, other) = (broker.connect(), broker.connect())
        let watch = broker.watch(from: other)
        let first = broker.load(from: reader)
        broker.send(Cancel(), on: first, from: reader)
        broker.advance(by: 100)
        #expect(broker.takeChanges(other, on: watch).isEmpty)
        for _ in 0..<2 { broker.load(from: reader) }
        let refused = broker.load(from: other)
        #expect(broker.take(other).on(refused).codes == [.notLoadableNow])
        broker.disconnect(reader)
        broker.advance(by: 100)
        let changes = broker.takeChanges(other, on: watch)
        #expect(changes.map(\.version) == [1] && changes.map(\.missed) == [0])
        #expect(changes.map(\.terms?.maximumLoads) == [2])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A load that fails after a byte, or has no bytes at all, counts", arguments: [true, false])
    func used(_ hasBytes: Bool) throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.write([Item("a")], terms: ContentTerms(loads: 1), from: writer)
        let reader = broker.connect()
        broker.load(from: reader)
        let ask = try #require(broker.takeAsks(writer).first)
        if hasBytes {
            broker.data([1], on: ask, from: writer)
            broker.send(Failure(.sourceFailed, "no"), on: ask, from: writer)
        } else {
            broker.send(End(byteCount: 0), on: ask, from: writer)
        }
        #expect(broker.take(writer).on(stream).first(End.self)?.reason == .loaded)
        #expect(broker.take(reader).filter { $0.kind == .error }.count == (hasBytes ? 1 : 0))
    }

    @Test("Each item is counted alone, and the contents end with the last load of the last item")
    func items() {
        let broker = StateHarness()
        let writer = broker.connect()
        let item = Item([Representation("a", kept: true)])
        broker.write([item, item], kept: [[1], [2]], terms: ContentTerms(loads: 2), from: writer)
        let reader = broker.connect()
        for (index, left) in [(0, 2), (0, 2), (1, 1)] as [(UInt32, UInt32)] {
            broker.load(from: reader) { $0.item = index }
            #expect(Self.loadsLeft(broker, for: reader) == left)
        }
        let third = broker.load(from: reader) { $0.item = 0 }
        let none = broker.load(from: reader) { $0.item = 2 }
        let wrong = broker.load(from: reader) {
            $0.item = 1
            $0.accepts = [Accept("other", match: .exact)]
        }
        let frames = broker.take(reader)
        #expect(frames.on(third).codes == [.nothingHere] && frames.on(none).codes == [.nothingHere])
        #expect(frames.on(wrong).codes == [.typeUnavailable] && Self.loadsLeft(broker, for: reader) == 1)
        broker.load(from: reader) { $0.item = 1 }
        #expect(Self.loadsLeft(broker, for: reader) == nil && broker.openMemory == 0)
    }

    @Test("The contents end only after the last load, although no load is left before")
    func running() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.write([Item("a")], terms: ContentTerms(loads: 2), from: writer)
        let reader = broker.connect()
        broker.load(from: reader)
        broker.load(from: reader)
        let asks = broker.takeAsks(writer)
        broker.data([1], last: true, on: asks[0], from: writer)
        #expect(broker.take(writer).on(stream).isEmpty && Self.loadsLeft(broker, for: reader) == 0)
        broker.send(Failure(.sourceFailed, "no"), on: asks[1], from: writer)
        #expect(broker.take(writer).on(stream).isEmpty && Self.loadsLeft(broker, for: reader) == 1)
        broker.load(from: reader)
        broker.data([1], last: true, on: try #require(broker.takeAsks(writer).first), from: writer)
        #expect(broker.take(writer).on(stream).first(End.self)?.reason == .loaded)
    }

    @Test("Loads of replaced contents end no later contents")
    func replaced() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.promise("a", terms: ContentTerms(loads: 1), from: writer)
        let reader = broker.connect()
        let load = broker.load(from: reader)
        let ask = try #require(broker.takeAsks(writer).first)
        broker.promise("b", from: writer)
        broker.data([1], last: true, on: ask, from: writer)
        #expect(broker.take(reader).on(load).bytes == [1])
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.type) == ["b"])
        #expect(broker.held.publications == 1)
    }

    // MARK: Cached loads

    @Test("Each load that joins a cached load counts, and those of a request that fails without bytes give all back")
    func cached() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        var representation = Representation("a")
        representation.policy = .onceAndKept
        var item = Item([representation])
        item.requires = [Feature.onceAndKept.rawValue]
        broker.write([item], terms: ContentTerms(loads: 2), from: writer)
        let reader = broker.connect()
        for isRefused in [true, false] {
            let loads = [broker.load(from: reader), broker.load(from: reader), broker.load(from: reader)]
            #expect(broker.take(reader).on(loads[2]).codes == [.notLoadableNow])
            let ask = try #require(broker.takeAsks(writer).first)
            if isRefused {
                broker.send(Failure(.sourceFailed, "no"), on: ask, from: writer)
                #expect(broker.take(reader).codes == [.sourceFailed, .sourceFailed])
                #expect(Self.loadsLeft(broker, for: reader) == 2)
            } else {
                broker.data([1, 2], last: true, on: ask, from: writer)
                let frames = broker.take(reader)
                #expect(loads.prefix(2).allSatisfy { frames.on($0).bytes == [1, 2] })
            }
        }
        #expect(broker.take(writer).all(End.self).map(\.reason) == [.loaded])
        #expect(broker.openMemory == 0 && broker.brokenInvariants().isEmpty)
    }

    // MARK: Descriptors

    /// A broker with two loads of large kept bytes, or of a source's file.
    private static func passed(isKept: Bool) throws -> (StateHarness, writer: PeerID, reader: PeerID, load: UInt64) {
        let broker = StateHarness()
        broker.deliversAtOnce = false
        let writer = broker.connect(descriptors: true)
        let item = Item([Representation("a", kept: isKept)])
        let bytes = [UInt8](repeating: 7, count: 100_000)
        broker.write([item], kept: isKept ? [bytes] : [], terms: ContentTerms(loads: 1), from: writer)
        let reader = broker.connect(descriptors: true)
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        if !isKept {
            let payload = Answer(byteCount: 5).encoded
            let ask = try #require(broker.takeAsks(writer).first)
            broker.pass(.readOnlyFile, kind: .answer, payload: payload, on: ask, from: writer)
        }
        return (broker, writer, reader, load)
    }

    @Test(
        "A load by descriptor counts when the socket has taken it, also if it was cancelled",
        arguments: [true, false],
        [true, false]
    )
    func descriptor(isKept: Bool, isCancelled: Bool) throws {
        let (broker, writer, reader, load) = try Self.passed(isKept: isKept)
        #expect(broker.take(reader).on(load).first?.passing != nil)
        // A file's load is over, so its cancel is late.
        if isCancelled { broker.send(Cancel(), on: load, from: reader) }
        let other = broker.connect()
        let early = broker.load(from: other)
        #expect(broker.take(other).on(early).codes == [.notLoadableNow])
        broker.deliver(to: reader)
        #expect(broker.take(writer).all(End.self).map(\.reason) == [.loaded])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A descriptor that was never sent gives the turn back", arguments: [true, false])
    func undeliveredDescriptor(isKept: Bool) throws {
        let (broker, _, reader, _) = try Self.passed(isKept: isKept)
        broker.disconnect(reader)
        let other = broker.connect()
        #expect(Self.loadsLeft(broker, for: other) == 1)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A file that the system does not pass gives the turn back, and kept bytes are sent inline then")
    func refusedDescriptor() throws {
        for isKept in [true, false] {
            let broker = StateHarness()
            broker.refusesDescriptors = true
            let writer = broker.connect(descriptors: true)
            let item = Item([Representation("a", kept: isKept)])
            let bytes = [UInt8](repeating: 7, count: 100_000)
            broker.write([item], kept: isKept ? [bytes] : [], terms: ContentTerms(loads: 1), from: writer)
            let reader = broker.connect(descriptors: true)
            let load = broker.load(from: reader) { $0.descriptorWelcome = true }
            guard !isKept else {
                #expect(broker.take(reader).on(load).bytes == bytes)
                #expect(broker.take(writer).all(End.self).map(\.reason) == [.loaded])
                continue
            }
            let payload = Answer(byteCount: 5).encoded
            let ask = try #require(broker.takeAsks(writer).first)
            broker.pass(.readOnlyFile, kind: .answer, payload: payload, on: ask, from: writer)
            #expect(broker.take(reader).on(load).codes == [.limitExceeded])
            #expect(Self.loadsLeft(broker, for: reader) == 1)
        }
    }
}
