import BrokerState
import PasteboardWire
import Testing

/// Failures of cached loads. They leave nothing behind.
@Suite struct CachedLoadEndTests {
    private var broker: StateHarness
    private let source: PeerID
    private let reader: PeerID

    init() {
        self.broker = StateHarness { $0.keptPool = 1_000 }
        self.source = self.broker.connect("s")
        self.reader = self.broker.connect("r")
        self.broker.promiseOnce(from: self.source)
    }

    private mutating func load(timeout: UInt64? = nil) -> UInt64 {
        self.broker.load(from: self.reader) { $0.timeoutMilliseconds = timeout }
    }

    /// Starts two loads, and takes the ask for both.
    private mutating func start() throws -> (loads: [UInt64], ask: UInt64) {
        let loads = [self.load(), self.load()]
        return (loads, try #require(self.broker.takeAsks(self.source).first))
    }

    private var isClean: Bool {
        let held = self.broker.held
        return held.loads == 0 && held.inTransfer == 0 && held.keptBytes == 0 && self.broker.openMemory == 0
            && self.broker.brokenInvariants().isEmpty
    }

    /// Checks that both loads have ended with the code, that nothing is left, and that a later load asks again.
    private mutating func check(_ loads: [UInt64], failedWith code: ErrorCode) throws {
        let frames = self.broker.take(self.reader)
        for load in loads { #expect(frames.on(load).codes == [code]) }
        #expect(self.isClean)
        let again = self.load()
        let ask = try #require(self.broker.takeAsks(self.source).first)
        self.broker.data([5], last: true, on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(again).bytes == [5])
    }

    @Test("An error of the source, before or after bytes, ends every load, and a later load asks again")
    mutating func sourceFailed() throws {
        for bytes in [[], [1, 2]] as [[UInt8]] {
            self.broker.promiseOnce(from: self.source)
            let (loads, ask) = try self.start()
            if !bytes.isEmpty { self.broker.data(bytes, on: ask, from: self.source) }
            self.broker.send(Failure(.sourceFailed, "no"), on: ask, from: self.source)
            try self.check(loads, failedWith: .sourceFailed)
        }
    }

    @Test("Fewer bytes than announced, or than the end counts, fail every load")
    mutating func truncated() throws {
        for isCounted in [true, false] {
            self.broker.promiseOnce(from: self.source)
            let (loads, ask) = try self.start()
            if !isCounted { self.broker.send(Answer(byteCount: 3), on: ask, from: self.source) }
            self.broker.data([1, 2], last: !isCounted, on: ask, from: self.source)
            if isCounted { self.broker.send(End(byteCount: 3), on: ask, from: self.source) }
            try self.check(loads, failedWith: .sourceTruncated)
        }
    }

    @Test("More bytes than announced fail every load, and the source is sent a cancel")
    mutating func excess() throws {
        let (loads, ask) = try self.start()
        self.broker.send(Answer(byteCount: 1), on: ask, from: self.source)
        self.broker.data([1, 2], on: ask, from: self.source)
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        try self.check(loads, failedWith: .sourceFailed)
    }

    @Test("If the source dies before all bytes have come, every load fails, and the promise is gone")
    mutating func sourceDies() throws {
        let (loads, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.disconnect(self.source)
        let frames = self.broker.take(self.reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(self.isClean)
        _ = self.load()
        #expect(self.broker.take(self.reader).codes == [.sourceGone])
    }

    @Test("If the source withdraws before or after the ask, every load fails", arguments: [true, false])
    mutating func withdrawn(_ waits: Bool) throws {
        let source = self.broker.connect("s", maximumStreams: 1)
        self.broker.promise("other", board: "b", from: source)
        if waits { self.broker.load(from: self.reader) { $0.board = "b" } }
        var item = Item("a")
        item.representations[0].policy = .onceAndKept
        item.requires = [Feature.onceAndKept.rawValue]
        let stream = self.broker.write([item], from: source)
        let loads = [self.load(), self.load()]
        self.broker.send(Cancel(), on: stream, from: source)
        let frames = self.broker.take(self.reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(self.broker.held.loads == (waits ? 1 : 0))
        #expect(self.broker.brokenInvariants().isEmpty)
    }

    @Test("If the source violates the protocol, its connection and every load end")
    mutating func violation() throws {
        let (loads, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.send(Answer(byteCount: 2), on: ask, from: self.source)
        #expect(self.broker.closed == [self.source])
        let frames = self.broker.take(self.reader)
        for load in loads { #expect(frames.on(load).codes == [.sourceGone]) }
        #expect(self.isClean)

        let unwelcome = self.broker.connect("s", descriptors: true)
        self.broker.promiseOnce(from: unwelcome)
        _ = self.load()
        let stream = try #require(self.broker.takeAsks(unwelcome).first)
        self.broker.pass(.readOnlyFile, kind: .answer, on: stream, from: unwelcome)
        #expect(self.broker.closed.contains(unwelcome))
        #expect(self.broker.take(self.reader).codes == [.sourceGone])
    }

    @Test(
        "A cached load has the source's deadlines: for the first byte, by default or its own, and between bytes"
    )
    mutating func deadlines() throws {
        var (loads, ask) = try self.start()
        self.broker.advance(by: 29_900)
        #expect(self.broker.take(self.reader).isEmpty)
        self.broker.advance(by: 100)
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        try self.check(loads, failedWith: .sourceStalled)

        self.broker.promiseOnce(from: self.source)
        (loads, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.advance(by: 9_900)
        #expect(self.broker.take(self.reader).codes.isEmpty)
        self.broker.advance(by: 100)
        try self.check(loads, failedWith: .sourceStalled)

        var item = Item("a")
        item.representations[0].policy = .onceAndKept
        item.representations[0].firstByteMilliseconds = 50
        item.requires = [Feature.onceAndKept.rawValue]
        self.broker.write([item], from: self.source)
        _ = self.load()
        #expect(self.broker.take(self.source).first(Ask.self)?.firstByteMilliseconds == 50)
        self.broker.advance(by: 50)
        #expect(self.broker.take(self.reader).codes == [.sourceStalled])
    }

    @Test("A load's own timeout ends only that load; the end of the last load sends the source one cancel")
    mutating func timeout() throws {
        let first = self.load(timeout: 1_000)
        let second = self.load(timeout: 40_000)
        let ask = try #require(self.broker.takeAsks(self.source).first)
        self.broker.data([1], on: ask, from: self.source)
        self.broker.advance(by: 1_000)
        var frames = self.broker.take(self.reader)
        #expect(frames.on(first).codes == [.timeout] && frames.on(second).codes.isEmpty)
        #expect(self.broker.take(self.source).isEmpty)
        for _ in 0..<39 {
            self.broker.send(Progress(), on: ask, from: self.source)
            self.broker.advance(by: 1_000)
        }
        frames = self.broker.take(self.reader)
        #expect(frames.on(second).codes == [.timeout])
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        #expect(self.isClean)
    }

    @Test("A cancel ends only its load; the cancel of the last load sends the source one cancel")
    mutating func cancelled() throws {
        let (loads, ask) = try self.start()
        self.broker.send(Cancel(), on: loads[0], from: self.reader)
        self.broker.data([1], on: ask, from: self.source)
        let frames = self.broker.take(self.reader)
        #expect(frames.on(loads[0]).isEmpty && frames.on(loads[1]).bytes == [1])
        #expect(self.broker.take(self.source).isEmpty)
        self.broker.send(Cancel(), on: loads[1], from: self.reader)
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        #expect(self.isClean)
        // The source sent these bytes before it received the cancel.
        self.broker.data([2], on: ask, from: self.source)
        self.broker.send(Progress(), on: ask, from: self.source)
        self.broker.send(End(), on: ask, from: self.source)
        #expect(self.broker.closed.isEmpty && self.isClean)
        try self.check([], failedWith: .cancelled)
    }

    @Test("The death of a destination ends only its loads; the end of the last load sends the source one cancel")
    mutating func destinationDies() throws {
        let other = self.broker.connect("o")
        let theirs = self.broker.load(from: other)
        let (_, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.disconnect(self.reader)
        #expect(self.broker.take(self.source).isEmpty && self.broker.take(other).on(theirs).bytes == [1])
        self.broker.disconnect(other)
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        #expect(self.isClean)
    }

    @Test("Bytes beyond the pool fail every load with no-space, and release their room")
    mutating func noSpace() throws {
        let (loads, ask) = try self.start()
        self.broker.data(count: 600, on: ask, from: self.source)
        self.broker.data(count: 600, on: ask, from: self.source)
        #expect(self.broker.take(self.source).on(ask).kinds == [.cancel])
        try self.check(loads, failedWith: .noSpace)

        self.broker.promiseOnce(from: self.source)
        let (announced, second) = try self.start()
        self.broker.send(Answer(byteCount: 1_001), on: second, from: self.source)
        try self.check(announced, failedWith: .noSpace)

        // The source has announced the size, so it is not even asked.
        self.broker.promiseOnce(byteCount: 1_001, from: self.source)
        _ = self.load()
        #expect(self.broker.take(self.reader).codes == [.noSpace])
        #expect(self.broker.takeAsks(self.source).isEmpty && self.isClean)
    }

    @Test("If memory cannot be written, every load fails with no-space", arguments: [true, false])
    mutating func unwritable(_ isLast: Bool) throws {
        let (loads, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.isMemoryFull = true
        self.broker.data([2], last: isLast, on: ask, from: self.source)
        self.broker.isMemoryFull = false
        try self.check(loads, failedWith: .noSpace)
    }

    @Test("If the size is smaller than registered, the difference is released")
    mutating func smaller() throws {
        self.broker.promiseOnce(byteCount: 800, from: self.source)
        let load = self.load()
        let ask = try #require(self.broker.takeAsks(self.source).first)
        #expect(self.broker.held.keptBytes == 800)
        self.broker.send(Answer(byteCount: 2), on: ask, from: self.source)
        self.broker.data([1, 2], last: true, on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).bytes == [1, 2])
        #expect(self.broker.held.keptBytes == 2 && self.broker.brokenInvariants().isEmpty)
    }

    @Test("At the limit of kept representations or of the queue, the load is refused")
    mutating func limits() throws {
        self.broker = StateHarness {
            $0.keptRepresentations = 1
            $0.waitingPerSource = 0
        }
        let source = self.broker.connect("s", maximumStreams: 1)
        let reader = self.broker.connect("r")
        self.broker.promiseOnce("x", "y", from: source)
        self.broker.load(from: reader) { $0.accepts = [Accept("x")] }
        self.broker.load(from: reader) { $0.accepts = [Accept("y")] }
        #expect(self.broker.take(reader).codes == [.limitExceeded])
        let ask = try #require(self.broker.takeAsks(source).first)
        self.broker.promise("z", board: "b", from: source)
        self.broker.load(from: reader) { $0.board = "b" }
        #expect(self.broker.take(reader).codes == [.limitExceeded])
        self.broker.send(Failure(.sourceFailed, "no"), on: ask, from: source)
        _ = self.broker.take(reader)
        self.broker.load(from: reader) { $0.board = "b" }
        self.broker.load(from: reader) { $0.accepts = [Accept("y")] }
        #expect(self.broker.take(reader).codes == [.limitExceeded])
        #expect(self.broker.held.keptBytes == 0 && self.broker.brokenInvariants().isEmpty)
    }

    @Test("A drain ends a cached load without bytes at once, and lets one with bytes finish")
    mutating func drain() throws {
        let (loads, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.drain()
        #expect(self.broker.take(self.reader).codes.isEmpty)
        self.broker.data([2], last: true, on: ask, from: self.source)
        let frames = self.broker.take(self.reader)
        for load in loads { #expect(frames.on(load).ends.count == 1 && frames.on(load).codes.isEmpty) }
        #expect(self.broker.isDrained)

        self.broker = StateHarness()
        let source = self.broker.connect("s")
        let reader = self.broker.connect("r")
        self.broker.promiseOnce(from: source)
        self.broker.load(from: reader)
        self.broker.drain()
        #expect(self.broker.take(reader).codes == [.brokerRestarted])
        #expect(self.broker.take(source).kinds == [.ask, .cancel] && self.broker.isDrained)
    }
}
