import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct DrainTests {
    private let broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect(maximumStreams: 3)
        reader = broker.connect()
        broker.promise("a", from: source)
    }

    /// Starts loads, and lets the first bytes of the first one arrive.
    ///
    /// - Returns: the loads, and the asks of those that have begun.
    private func startLoads(_ count: Int = 1) -> (loads: [UInt64], asks: [UInt64]) {
        let loads = (0..<count).map { _ in broker.load(from: reader) }
        let asks = broker.takeAsks(source)
        broker.data([1], on: asks[0], from: source)
        _ = broker.take(reader)
        return (loads, asks)
    }

    @Test(
        "While another broker takes over, a load with bytes finishes however long it takes, and others leave at once",
        .tags(.f90)
    )
    func takeover() {
        let other = broker.connect()
        let (loads, asks) = startLoads(2)
        broker.beginTakeover()
        #expect(broker.stoppedListening && broker.isDraining && !broker.isDrained)
        #expect(broker.take(reader).on(loads[1]).codes == [.brokerRestarted])
        // It learns that nothing of it was taken, and connects again.
        let farewell = broker.take(other)
        #expect(broker.closed == [other] && farewell.codes == [.brokerRestarted] && farewell[0].stream == 0)
        for _ in 0..<20 {
            broker.advance(by: 1_000)
            broker.data([2], on: asks[0], from: source)
        }
        broker.data([3], last: true, on: asks[0], from: source)
        #expect(broker.take(reader).on(loads[0]).bytes.count == 21)
        broker.advance(by: 100)
        #expect(broker.closed == [other, source, reader] && broker.isDrained)
        #expect(broker.take(reader).codes == [.brokerRestarted])
    }

    @Test(
        "A drop whose bytes flow ends with its result, also while another broker takes over",
        .tags(.f90),
        arguments: [true, false]
    )
    func dropped(isTakeover: Bool) {
        var scene = DragScene()
        scene.dropped(.copy)
        scene.load()
        _ = scene.framesToSource()
        scene.give(last: false)
        if isTakeover {
            scene.broker.beginTakeover()
            scene.broker.pathWasTaken()
        } else {
            scene.broker.drain()
        }
        scene.give()
        scene.broker.advance(by: 1_000)
        #expect(scene.broker.closed.isEmpty && !scene.broker.isDrained)
        scene.performed()
        scene.conclude()
        #expect(scene.result().transferred?.items == [0] && scene.broker.isDrained)
    }

    @Test("A drain ends only after the last bytes have been sent")
    func lastBytes() {
        broker.deliversAtOnce = false
        let ask = startLoads().asks[0]
        broker.drain()
        broker.data([2], last: true, on: ask, from: source)
        #expect(!broker.isDrained)
        broker.deliver(to: reader)
        #expect(broker.isDrained)
    }

    @Test("A stop request is answered with end, and starts a drain")
    func stop() {
        let stream = broker.newStream(of: reader)
        broker.send(Stop(), on: stream, from: reader)
        let frames = broker.take(reader)
        #expect(frames.kinds == [.end] && frames[0].stream == stream)
        #expect(broker.isDrained && broker.stoppedListening)
        broker.endDraining()
        #expect(broker.take(reader).codes == [.brokerStopped])
        #expect(broker.closed == [source, reader])
    }

    @Test("A broker that ends without a drain starts no waiting load")
    func atOnce() {
        for _ in 0..<4 { broker.load(from: reader) }
        let asks = broker.takeAsks(source)
        broker.endDraining()
        #expect(broker.take(source).filter { $0.kind == .ask }.isEmpty && asks.count == 2)
        #expect(broker.take(reader).codes == [ErrorCode](repeating: .brokerStopped, count: 5))
    }
}
