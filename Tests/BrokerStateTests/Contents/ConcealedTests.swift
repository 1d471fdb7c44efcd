import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Secret contents: where their bytes may be, and what nobody is shown of them.
@Suite(.pure) struct ConcealedTests {
    private static let terms = ContentTerms(concealed: true)
    private static let large = [UInt8](repeating: 7, count: 100_000)

    @Test("Concealed kept bytes are sent inline, and their memory is overwritten and never sealed")
    func kept() {
        let broker = StateHarness()
        let writer = broker.connect(descriptors: true)
        let item = Item([Representation("a", byteCount: 100_000, kept: true)])
        broker.write([item], kept: [Self.large], terms: Self.terms, from: writer)
        #expect(broker.sealed.isEmpty && broker.concealedKept.count == 1)
        #expect(broker.concealing == [writer])
        let reader = broker.connect(descriptors: true)
        let load = broker.load(from: reader) { $0.descriptorWelcome = true }
        #expect(broker.take(reader).on(load).bytes == Self.large)
        #expect(broker.concealing == [writer, reader])
    }

    @Test("The source of a promise is not asked for a descriptor, and the buffers of both sides are overwritten")
    func promised() throws {
        let broker = StateHarness()
        let source = broker.connect(descriptors: true)
        broker.promise("a", terms: Self.terms, from: source)
        let reader = broker.connect(descriptors: true)
        let load = broker.load(from: reader) {
            $0.descriptorWelcome = true
            $0.accepts = [Accept("a", match: .exact)]
        }
        #expect(broker.concealing == [source, reader])
        let ask = try #require(broker.take(source).first { $0.kind == .ask })
        #expect(ask.decode(Ask.self).descriptorWelcome != true)
        broker.data([1, 2], last: true, on: ask.stream, from: source)
        #expect(broker.take(reader).on(load).bytes == [1, 2])
    }

    @Test("A cached load of concealed contents keeps its bytes in memory that is overwritten")
    func cached() throws {
        let broker = StateHarness()
        let source = broker.connect()
        var representation = Representation("a")
        representation.policy = .onceAndKept
        var item = Item([representation])
        item.requires = [Feature.onceAndKept.rawValue]
        broker.write([item], terms: Self.terms, from: source)
        let reader = broker.connect(descriptors: true)
        for _ in 0..<2 {
            let load = broker.load(from: reader) { $0.descriptorWelcome = true }
            for ask in broker.takeAsks(source) { broker.data(Self.large, last: true, on: ask, from: source) }
            #expect(broker.take(reader).on(load).bytes == Self.large)
        }
        #expect(broker.sealed.isEmpty && broker.concealedKept.count == 1 && broker.concealing == [source, reader])
    }

    @Test("Lists, the status and the counters contain no size of concealed contents")
    func hidden() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let reader = broker.connect()
        let names = ["bytes-given", "bytes-kept-in-all", "bytes-kept"]
        func counters() -> [UInt64?] {
            let all = broker.status(from: reader).compactMap(\.counter)
            return names.map { name in all.first { $0.name == name }?.value }
        }
        broker.write([Item([Representation("p", kept: true)])], kept: [[1, 2]], board: "public", from: writer)
        let before = counters()
        #expect(before == [0, 2, 2])
        let item = Item([Representation("a", byteCount: 100_000, kept: true), Representation("b", byteCount: 9)])
        broker.write([item], kept: [Self.large], terms: Self.terms, from: writer)
        broker.load(from: reader) { $0.accepts = [Accept("a", match: .exact)] }
        broker.load(from: reader) { $0.accepts = [Accept("b", match: .exact)] }
        let ask = try #require(broker.takeAsks(writer).first)
        broker.data([1, 2, 3], on: ask, from: writer)
        #expect(counters() == before)
        let status = broker.status(from: reader, history: true)
        let load = try #require(status.compactMap(\.load).first)
        #expect(load.type == "b" && load.byteCount == nil)
        let board = try #require(status.compactMap(\.board).first)
        #expect(board.keptBytes == nil && board.terms?.isConcealed == true)
        let listed = try #require(broker.list(from: reader).first(Item.self))
        #expect(listed.representations.map(\.byteCount) == [nil, nil])
    }
}
