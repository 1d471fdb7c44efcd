import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Failures of cached loads. Afterwards the broker holds nothing for them.
@Suite(.pure) struct CachedLoadEndTests {
    private var broker: StateHarness
    private let source: PeerID
    private let reader: PeerID

    init() {
        broker = StateHarness { $0.keptPool = 2_000 }
        source = broker.connect("s")
        reader = broker.connect("r")
        broker.promiseOnce(from: source)
    }

    private mutating func load() -> UInt64 { broker.load(from: reader) }

    /// Starts two loads, and takes the ask for both.
    private mutating func start() throws -> (loads: [UInt64], ask: UInt64) {
        let loads = [load(), load()]
        return (loads, try #require(broker.takeAsks(source).first))
    }

    private var isClean: Bool {
        let held = broker.held
        return held.loads == 0 && held.inTransfer == 0 && held.keptBytes == 0 && broker.openMemory == 0
            && broker.brokenInvariants().isEmpty
    }

    /// Checks that both loads have ended with the code, that nothing is left, and that a later load asks again.
    private mutating func check(_ loads: [UInt64], failedWith code: ErrorCode) throws {
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).codes == [code]) }
        #expect(isClean)
        let again = self.load()
        let ask = try #require(broker.takeAsks(source).first)
        broker.data([5], last: true, on: ask, from: source)
        #expect(broker.take(reader).on(again).bytes == [5])
    }

    @Test("If memory cannot be written, every load fails with no-space", arguments: [true, false])
    mutating func unwritable(_ isLast: Bool) throws {
        let (loads, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.isMemoryFull = true
        broker.data([2], last: isLast, on: ask, from: source)
        broker.isMemoryFull = false
        try check(loads, failedWith: .noSpace)
    }

    @Test("At the limit of kept representations or of the queue, the load is refused")
    mutating func limits() throws {
        broker = StateHarness {
            $0.keptRepresentations = 1
            $0.waitingPerSource = 0
        }
        let source = broker.connect("s", maximumStreams: 1)
        let reader = broker.connect("r")
        broker.promiseOnce("x", "y", from: source)
        broker.load(from: reader) { $0.accepts = [Accept("x")] }
        broker.load(from: reader) { $0.accepts = [Accept("y")] }
        #expect(broker.take(reader).codes == [.limitExceeded])
        let ask = try #require(broker.takeAsks(source).first)
        broker.promise("z", board: "b", from: source)
        broker.load(from: reader) { $0.board = "b" }
        #expect(broker.take(reader).codes == [.limitExceeded])
        broker.send(Failure(.sourceFailed, "no"), on: ask, from: source)
        _ = broker.take(reader)
        broker.load(from: reader) { $0.board = "b" }
        broker.load(from: reader) { $0.accepts = [Accept("y")] }
        #expect(broker.take(reader).codes == [.limitExceeded])
        #expect(broker.held.keptBytes == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("A drain ends a cached load without bytes at once, and lets one with bytes finish")
    mutating func drain() throws {
        let (loads, ask) = try start()
        broker.data([1], on: ask, from: self.source)
        broker.drain()
        #expect(broker.take(self.reader).codes.isEmpty)
        broker.data([2], last: true, on: ask, from: self.source)
        let frames = broker.take(self.reader)
        for load in loads { #expect(frames.on(load).ends.count == 1 && frames.on(load).codes.isEmpty) }
        #expect(broker.isDrained)

        broker = StateHarness()
        let source = broker.connect("s")
        let reader = broker.connect("r")
        broker.promiseOnce(from: source)
        broker.load(from: reader)
        broker.drain()
        #expect(broker.take(reader).codes == [.brokerStopped])
        #expect(broker.take(source).kinds == [.ask, .cancel] && broker.isDrained)
    }
}
