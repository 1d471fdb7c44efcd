import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct AskTests {

    @Test("A load that waits is asked for in the contents that it was made for, although they were replaced")
    func replacedWhileWaiting() throws {
        let broker = StateHarness()
        let source = broker.connect(maximumStreams: 1)
        let reader = broker.connect()
        let old = broker.promise("a", from: source).handle
        let loads = (0..<2).map { _ in broker.load(from: reader) }
        let first = broker.takeAsks(source)[0]
        broker.promise("b", from: source)
        _ = broker.take(source)
        broker.data([1], last: true, on: first, from: source)
        let ask = try #require(broker.take(source).first { $0.kind == .ask })
        #expect(ask.decode(Ask.self).type == "a" && ask.decode(Ask.self).handle == old)
        broker.data([2], last: true, on: ask.stream, from: source)
        let frames = broker.take(reader)
        #expect(loads.map { frames.on($0).bytes } == [[1], [2]])
    }

    @Test("The source is not asked for a load that is cancelled while it waits")
    func cancelledWhileWaiting() {
        let broker = StateHarness()
        let source = broker.connect(maximumStreams: 1)
        let reader = broker.connect()
        broker.promise("a", from: source)
        let loads = (0..<3).map { _ in broker.load(from: reader) }
        let ask = broker.takeAsks(source)[0]
        broker.send(Cancel(), on: loads[1], from: reader)
        #expect(broker.take(source).isEmpty)
        broker.data([1], last: true, on: ask, from: source)
        #expect(broker.take(source).kinds == [.ask])
        #expect(broker.held.loads == 1)
    }

    @Test(
        "A source that accepts no streams gets one ask at a time, and one that accepts many gets the limit",
        arguments: [
            (UInt32(0), 1), (1, 1), (.max, 128),
        ]
    )
    func maximum(_ streams: UInt32, _ expected: Int) {
        let broker = StateHarness { $0.loadsPerConnection = 200 }
        let source = broker.connect(maximumStreams: streams)
        let reader = broker.connect()
        broker.promise("a", from: source)
        for _ in 0..<150 { broker.load(from: reader) }
        #expect(broker.takeAsks(source).count == expected)
    }

    @Test("If a source dies, waiting loads end too, and nothing is asked")
    func sourceDies() {
        let broker = StateHarness()
        let source = broker.connect(maximumStreams: 1)
        let reader = broker.connect()
        broker.promise("a", from: source)
        for _ in 0..<3 { broker.load(from: reader) }
        _ = broker.take(source)
        broker.disconnect(source)
        #expect(broker.take(reader).codes == [.sourceGone, .sourceGone, .sourceGone])
        #expect(broker.take(source).isEmpty)
        #expect(broker.held.loads == 0)
    }

    @Test("If a destination dies, other loads take its turns")
    func destinationDies() {
        let broker = StateHarness()
        let source = broker.connect(maximumStreams: 1)
        let reader = broker.connect()
        let other = broker.connect()
        broker.promise("a", from: source)
        broker.load(from: reader)
        let ask = broker.takeAsks(source)[0]
        broker.load(from: other)
        broker.disconnect(reader)
        let frames = broker.take(source)
        #expect(frames.kinds == [.cancel, .ask] && frames[0].stream == ask && frames[1].stream != ask)
    }

    @Test("A withdrawn promise ends its loads: asked ones are cancelled, waiting ones are never asked")
    func withdrawn() {
        let broker = StateHarness()
        let source = broker.connect(maximumStreams: 1)
        let reader = broker.connect()
        let stream = broker.write(
            [Item([Representation("a"), Representation("k", kept: true)])],
            kept: [[8]],
            from: source
        )
        for _ in 0..<3 { broker.load(from: reader) }
        _ = broker.take(source)
        broker.send(Cancel(), on: stream, from: source)
        #expect(broker.take(source).kinds == [.cancel])
        #expect(broker.take(reader).codes == [.sourceGone, .sourceGone, .sourceGone])
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.provision) == [2, 1])
        broker.load(from: reader)
        #expect(broker.take(reader).bytes == [8])
        #expect(broker.closed.isEmpty)
    }
}
