import BrokerState
import PasteboardWire
import Testing

@Suite struct DrainTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        self.source = self.broker.connect(maximumStreams: 2)
        self.reader = self.broker.connect()
        self.broker.promise("a", from: self.source)
    }

    @Test("In a drain, loads without bytes end at once, a load with bytes may finish, and no load begins")
    mutating func drain() {
        let flowing = self.broker.load(from: self.reader)
        let asked = self.broker.load(from: self.reader)
        let waiting = self.broker.load(from: self.reader)
        let asks = self.broker.takeAsks(self.source)
        self.broker.data([1], on: asks[0], from: self.source)
        _ = self.broker.take(self.reader)
        self.broker.drain()
        #expect(self.broker.stoppedListening && self.broker.isDraining && !self.broker.isDrained)
        let told = self.broker.take(self.reader)
        #expect(told.on(asked).codes == [.brokerRestarted] && told.on(waiting).codes == [.brokerRestarted])
        let cancels = self.broker.take(self.source)
        #expect(cancels.kinds == [.cancel] && cancels[0].stream == asks[1])
        self.broker.load(from: self.reader)
        _ = self.broker.list(from: self.source)
        #expect(self.broker.take(self.reader).codes == [.brokerRestarted])
        self.broker.data([2], last: true, on: asks[0], from: self.source)
        #expect(self.broker.take(self.reader).on(flowing).bytes == [2])
        #expect(self.broker.isDrained)
    }

    @Test("A drain ends only after the last bytes have been sent")
    mutating func lastBytes() {
        self.broker.deliversAtOnce = false
        self.broker.load(from: self.reader)
        let ask = self.broker.takeAsks(self.source)[0]
        self.broker.data([1], on: ask, from: self.source)
        self.broker.drain()
        self.broker.data([2], last: true, on: ask, from: self.source)
        #expect(!self.broker.isDrained)
        self.broker.deliver(to: self.reader)
        #expect(self.broker.isDrained)
    }

    @Test("After 5 s of a drain the remaining loads end, and every connection is sent an error and closed")
    mutating func limit() {
        let load = self.broker.load(from: self.reader)
        let ask = self.broker.takeAsks(self.source)[0]
        self.broker.data([1], on: ask, from: self.source)
        _ = self.broker.take(self.reader)
        self.broker.drain()
        self.broker.advance(by: 4_999)
        #expect(self.broker.closed.isEmpty)
        self.broker.advance(by: 1)
        let frames = self.broker.take(self.reader)
        #expect(frames.map(\.stream) == [load, 0] && frames.codes == [.brokerRestarted, .brokerRestarted])
        #expect(self.broker.take(self.source).kinds == [.cancel, .error])
        #expect(self.broker.closed == [self.source, self.reader])
        #expect(self.broker.isDrained)
        #expect(self.broker.held.peers == 0 && self.broker.held.inTransfer == 0)
    }

    @Test("A stop request is answered with end, and starts a drain")
    mutating func stop() {
        let stream = self.broker.newStream(of: self.reader)
        self.broker.send(Stop(), on: stream, from: self.reader)
        let frames = self.broker.take(self.reader)
        #expect(frames.kinds == [.end] && frames[0].stream == stream)
        #expect(self.broker.isDrained && self.broker.stoppedListening)
        self.broker.endDraining()
        #expect(self.broker.take(self.reader).codes == [.brokerRestarted])
        #expect(self.broker.closed == [self.source, self.reader])
    }

    @Test("A write that has not committed gets an error when the connection ends")
    mutating func write() {
        let stream = self.broker.begin(from: self.reader)
        self.broker.drain()
        self.broker.endDraining()
        #expect(self.broker.take(self.reader).on(0).codes == [.brokerRestarted])
        #expect(self.broker.held.writes == 0 && stream == 1)
    }

    @Test("A broker that ends without a drain starts no waiting load")
    mutating func atOnce() {
        for _ in 0..<4 { self.broker.load(from: self.reader) }
        let asks = self.broker.takeAsks(self.source)
        self.broker.endDraining()
        #expect(self.broker.take(self.source).filter { $0.kind == .ask }.isEmpty && asks.count == 2)
        #expect(self.broker.take(self.reader).codes == [ErrorCode](repeating: .brokerRestarted, count: 5))
    }
}
