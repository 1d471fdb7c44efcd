import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Loads of a destination that does not read, and loads that wait for their turn at a source that has ended.
@Suite(.pure) struct TurnTests {
    private let broker = StateHarness()
    private let source: PeerID
    private let idler: PeerID

    init() {
        source = broker.connect(maximumStreams: 1)
        idler = broker.connect()
        broker.promise("a", from: source)
    }

    /// Starts a load of the idler, and fills its window.
    private func fill() throws {
        broker.deliversAtOnce = false
        broker.load(from: idler)
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 256 << 10, on: ask, from: source)
    }

    @Test("A destination that does not read has no deadline while nobody waits for its source")
    func alone() throws {
        try fill()
        for _ in 0..<120 { broker.advance(by: 60_000) }
        #expect(broker.take(idler).codes.isEmpty)
    }

    @Test("A load whose socket takes no bytes blocks others")
    func unread() throws {
        try fill()
        broker.load(from: broker.connect())
        broker.advance(by: 10_000)
        #expect(broker.take(idler).codes == [.destinationStalled])
        #expect(broker.takeAsks(source).count == 1)
    }

    @Test("No frame is sent to a source that has ended, although loads waited for it")
    func sourceEnds() {
        for _ in 0..<3 { broker.load(from: idler) }
        _ = broker.take(source)
        broker.disconnect(source)
        #expect(broker.take(source).isEmpty && broker.held.loads == 0)
    }
}
