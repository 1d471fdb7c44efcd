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

    private mutating func load(timeout: UInt64? = nil) -> UInt64 {
        broker.load(from: reader) { $0.timeoutMilliseconds = timeout }
    }

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

    @Test("Fewer bytes than announced, or another number than the end counts, fail every load", .tags(.f16))
    mutating func truncated() throws {
        for counted in [nil, 3, 1, 0] as [UInt64?] {
            broker.promiseOnce(from: source)
            let (loads, ask) = try start()
            if counted == nil { broker.send(Answer(byteCount: 3), on: ask, from: source) }
            broker.data([1, 2], last: counted == nil, on: ask, from: source)
            if let counted { broker.send(End(byteCount: counted), on: ask, from: source) }
            try check(loads, failedWith: .sourceTruncated)
        }
    }

    @Test("More bytes than announced fail every load, and the source is sent a cancel")
    mutating func excess() throws {
        let (loads, ask) = try start()
        broker.send(Answer(byteCount: 1), on: ask, from: source)
        broker.data([1, 2], on: ask, from: source)
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        try check(loads, failedWith: .sourceFailed)
    }

    @Test("If the source dies before all bytes have arrived, every load fails, and the promise is gone")
    mutating func sourceDies() throws {
        let (loads, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.disconnect(source)
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(isClean)
        _ = self.load()
        #expect(broker.take(reader).codes == [.sourceGone])
    }

    @Test("If the source withdraws before or after the ask, every load fails", arguments: [true, false])
    mutating func withdrawn(_ waits: Bool) throws {
        let source = broker.connect("s", maximumStreams: 1)
        broker.promise("other", board: "b", from: source)
        if waits { broker.load(from: reader) { $0.board = "b" } }
        var item = Item("a")
        item.representations[0].policy = .onceAndKept
        item.requires = [Feature.onceAndKept.rawValue]
        let stream = broker.write([item], from: source)
        let loads = [self.load(), self.load()]
        broker.send(Cancel(), on: stream, from: source)
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(broker.held.loads == (waits ? 1 : 0))
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("If the source violates the protocol, its connection and every load end")
    mutating func violation() throws {
        let (loads, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.send(Answer(byteCount: 2), on: ask, from: source)
        #expect(broker.closed == [source])
        let frames = broker.take(reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(isClean)

        let unwelcome = broker.connect("s", descriptors: true)
        broker.promiseOnce(from: unwelcome)
        _ = self.load()
        let stream = try #require(broker.takeAsks(unwelcome).first)
        broker.pass(.readOnlyFile, kind: .answer, on: stream, from: unwelcome)
        #expect(broker.closed.contains(unwelcome))
        #expect(broker.take(reader).codes == [.sourceGone])
    }

    @Test(
        "A cached load has the source's deadlines: for the first byte, by default or its own, and between bytes"
    )
    mutating func deadlines() throws {
        var (loads, ask) = try start()
        broker.advance(by: 29_900)
        #expect(broker.take(reader).isEmpty)
        broker.advance(by: 100)
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        try check(loads, failedWith: .sourceStalled)

        broker.promiseOnce(from: source)
        (loads, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.advance(by: 9_900)
        #expect(broker.take(reader).codes.isEmpty)
        broker.advance(by: 100)
        try check(loads, failedWith: .sourceStalled)

        var item = Item("a")
        item.representations[0].policy = .onceAndKept
        item.representations[0].firstByteMilliseconds = 50
        item.requires = [Feature.onceAndKept.rawValue]
        broker.write([item], from: source)
        _ = load()
        #expect(broker.take(source).first(Ask.self)?.firstByteMilliseconds == 50)
        broker.advance(by: 50)
        #expect(broker.take(reader).codes == [.sourceStalled])
    }

    @Test("A load's own timeout ends only that load; the end of the last load sends the source one cancel")
    mutating func timeout() throws {
        let first = load(timeout: 1_000)
        let second = load(timeout: 40_000)
        let ask = try #require(broker.takeAsks(source).first)
        broker.data([1], on: ask, from: source)
        broker.advance(by: 1_000)
        var frames = broker.take(reader)
        #expect(frames.on(first).codes == [.timeout] && frames.on(second).codes.isEmpty)
        #expect(broker.take(source).isEmpty)
        for _ in 0..<39 {
            broker.send(Progress(), on: ask, from: source)
            broker.advance(by: 1_000)
        }
        frames = broker.take(reader)
        #expect(frames.on(second).codes == [.timeout])
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        #expect(isClean)
    }

    @Test("The death of a destination ends only its loads; the end of the last load sends the source one cancel")
    mutating func destinationDies() throws {
        let other = broker.connect("o")
        let theirs = broker.load(from: other)
        let (_, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.disconnect(reader)
        #expect(broker.take(source).isEmpty && broker.take(other).on(theirs).bytes == [1])
        broker.disconnect(other)
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        #expect(isClean)
    }

    @Test("Bytes beyond the pool fail every load with no-space, and release their room")
    mutating func noSpace() throws {
        let (loads, ask) = try start()
        broker.data(count: 600, on: ask, from: source)
        broker.data(count: 600, on: ask, from: source)
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        try check(loads, failedWith: .noSpace)

        broker.promiseOnce(from: source)
        let (announced, second) = try start()
        broker.send(Answer(byteCount: 1_001), on: second, from: source)
        try check(announced, failedWith: .noSpace)

        // The source has announced the size, so it is not even asked.
        broker.promiseOnce(byteCount: 1_001, from: source)
        _ = load()
        #expect(broker.take(reader).codes == [.noSpace])
        #expect(broker.takeAsks(source).isEmpty && isClean)
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

    @Test("If the size is smaller than registered, the difference is released")
    mutating func smaller() throws {
        broker.promiseOnce(byteCount: 800, from: source)
        let load = self.load()
        let ask = try #require(broker.takeAsks(source).first)
        #expect(broker.held.keptBytes == 800)
        broker.send(Answer(byteCount: 2), on: ask, from: source)
        broker.data([1, 2], last: true, on: ask, from: source)
        #expect(broker.take(reader).on(load).bytes == [1, 2])
        #expect(broker.held.keptBytes == 2 && broker.brokenInvariants().isEmpty)
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
