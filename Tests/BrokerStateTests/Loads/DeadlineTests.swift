import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct DeadlineTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect()
        reader = broker.connect()
        broker.promise("a", from: source)
    }

    private mutating func start(
        credit: UInt64 = 1 << 40,
        timeout: UInt64? = nil
    ) throws -> (load: UInt64, ask: UInt64) {
        let load = broker.load(from: reader, credit: credit) { $0.timeoutMilliseconds = timeout }
        return (load, try #require(broker.takeAsks(source).first))
    }

    /// The error that the reader was sent, and the time in milliseconds until then.
    private struct Lateness: Equatable {
        let code: ErrorCode
        let after: UInt64

        init(_ code: ErrorCode, _ after: UInt64) {
            self.code = code
            self.after = after
        }
    }

    /// Lets time pass in small steps until the reader is sent an error.
    private mutating func failure(within limit: UInt64, step: UInt64 = 1_000) -> Lateness? {
        var passed: UInt64 = 0
        while passed < limit {
            broker.advance(by: step)
            passed += step
            if let code = broker.take(reader).codes.first { return Lateness(code, passed) }
        }
        return nil
    }

    @Test("A source that sends no first byte within 30 s is cancelled")
    mutating func firstByte() throws {
        let (_, ask) = try start()
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, 30_000))
        #expect(broker.take(source).on(ask).kinds == [.cancel])
        #expect(broker.held.loads == 0 && broker.held.inTransfer == 0)
    }

    @Test("A check one millisecond before a deadline does not end the load")
    mutating func notBefore() throws {
        _ = try start()
        _ = try start(timeout: 29_999)
        #expect(failure(within: 29_999, step: 29_999) == Lateness(.timeout, 29_999))
        #expect(failure(within: 20, step: 20)?.code == .sourceStalled)
    }

    @Test(
        "A registration's limit replaces the 30 s and is bounded like progress; a load's timeout replaces both",
        arguments: [
            (given: UInt64(200), timeout: UInt64?.none, told: UInt64(200), code: ErrorCode.sourceStalled),
            (45_000, nil, 45_000, .sourceStalled), (0, nil, 30_000, .sourceStalled),
            (.max, nil, 600_000, .sourceStalled), (200, 5_000, 5_000, .timeout),
        ]
    )
    mutating func ownFirstByte(_ given: UInt64, _ timeout: UInt64?, _ told: UInt64, _ code: ErrorCode) throws {
        var representation = Representation("a")
        representation.firstByteMilliseconds = given
        broker.write([Item([representation])], from: source)
        _ = broker.take(source)
        broker.load(from: reader) { $0.timeoutMilliseconds = timeout }
        #expect(broker.take(source).first(Ask.self)?.firstByteMilliseconds == told)
        #expect(failure(within: 700_000, step: 100) == Lateness(code, told))
    }

    @Test(
        "A source has 10 s between two bytes, counted from the last byte",
        .tags(.f38),
        arguments: [UInt64(0), 5_000, 29_000]
    )
    mutating func progressDeadline(_ delay: UInt64) throws {
        let (_, ask) = try start()
        broker.advance(by: delay)
        broker.data([1], on: ask, from: source)
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, 10_000))
    }

    @Test("A source may take longer for its first byte than progress may extend a load")
    func longFirstByte() {
        let broker = StateHarness { $0.keepAlive = 10_000 }
        let (source, reader) = (broker.connect(maximumStreams: 1), broker.connect())
        broker.promise("a", from: source)
        // One is asked for, the other one waits.
        for _ in 0..<2 { broker.load(from: reader) }
        broker.advance(by: 29_999)
        #expect(broker.take(reader).isEmpty)
    }

    @Test("Empty frames do not extend a deadline")
    mutating func emptyFrames() throws {
        let (_, ask) = try start()
        for _ in 0..<29 {
            broker.advance(by: 1_000)
            broker.data([], on: ask, from: source)
        }
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, 1_000))
    }

    @Test(
        "A source without credit is never late, neither for its first byte nor for a later one",
        arguments: [UInt64(0), 4]
    )
    mutating func withoutCredit(_ credit: UInt64) throws {
        let (load, ask) = try start(credit: credit)
        if credit > 0 { broker.data(count: Int(credit), on: ask, from: source) }
        _ = broker.take(reader)
        let none = self.failure(within: 7_200_000, step: 60_000)
        #expect(none == nil)
        // The time without credit does not count against the source's deadline.
        broker.credit(100, on: load, from: reader)
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, credit == 0 ? 30_000 : 10_000))
    }

    @Test("Progress extends the deadline of a handler by up to 10 minutes without a byte")
    mutating func keepAlive() throws {
        let (_, ask) = try start()
        for _ in 0..<59 {
            broker.advance(by: 10_000)
            broker.send(Progress(), on: ask, from: source)
        }
        #expect(broker.take(reader).codes.isEmpty)
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, 10_000))
    }

    @Test("Progress before the first byte starts the time for that byte anew")
    mutating func progressBeforeBytes() throws {
        let (_, ask) = try start()
        broker.advance(by: 20_000)
        broker.send(Progress(), on: ask, from: source)
        #expect(broker.take(reader).codes.isEmpty)
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.sourceStalled, 30_000))
    }

    @Test(
        "The caller's timeout replaces the deadlines, whether it is shorter or longer",
        arguments: [UInt64(1_000), 3_600_000]
    )
    mutating func timeout(_ timeout: UInt64) throws {
        let (_, ask) = try start(timeout: timeout)
        let failure = self.failure(within: 7_200_000)
        #expect(failure == Lateness(.timeout, timeout))
        #expect(broker.take(source).on(ask).kinds == [.cancel])
    }

    @Test("A timeout of 0 or of more than a day is a day", arguments: [UInt64(0), .max])
    mutating func longest(_ timeout: UInt64) throws {
        _ = try start(timeout: timeout)
        let failure = self.failure(within: 100_000_000, step: 600_000)
        #expect(failure == Lateness(.timeout, 86_400_000))
    }

    @Test("The caller's timeout also applies to a load that waits for its turn and to kept bytes")
    mutating func timeoutElsewhere() throws {
        let busy = broker.connect(maximumStreams: 1)
        broker.promise("b", board: "busy", from: busy)
        broker.load(from: source) { $0.board = "busy" }
        broker.load(from: reader) {
            $0.board = "busy"
            $0.timeoutMilliseconds = 2_000
        }
        let failure = self.failure(within: 60_000)
        #expect(failure == Lateness(.timeout, 2_000))
        let kept = Item([Representation("k", kept: true)])
        broker.write([kept], kept: [[1]], board: "kept", from: busy)
        broker.load(from: reader, credit: 0) {
            $0.board = "kept"
            $0.timeoutMilliseconds = 2_000
        }
        let ofKept = self.failure(within: 60_000)
        #expect(ofKept == Lateness(.timeout, 2_000))
    }

    /// A pool that one window fills, a reader whose socket takes no bytes, and another load of it that waits for room.
    private static func fullPool(
        timeout: UInt64? = nil
    ) throws -> (broker: StateHarness, source: PeerID, reader: PeerID) {
        let broker = StateHarness { $0.transferPool = 16 << 10 }
        broker.deliversAtOnce = false
        let source = broker.connect()
        let reader = broker.connect()
        broker.promise("a", from: source)
        broker.load(from: reader) { $0.timeoutMilliseconds = timeout }
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 16 << 10, on: ask, from: source)
        broker.load(from: reader) { $0.timeoutMilliseconds = 0 }
        _ = (broker.take(reader), broker.take(source))
        return (broker, source, reader)
    }

    @Test("A destination that does not read has no deadline while the pool has room")
    mutating func timeouts() throws {
        broker.deliversAtOnce = false
        let (_, ask) = try start()
        broker.data(count: 256 << 10, on: ask, from: source)
        _ = broker.take(reader)
        let none = failure(within: 7_200_000, step: 60_000)
        #expect(none == nil)
    }

    @Test(
        "If others wait for room, a load whose destination does not read ends after 10 s, and 10 s later its connection",
        .tags(.f36),
        arguments: [nil, 0] as [UInt64?]
    )
    func pressure(timeout: UInt64?) throws {
        let (broker, source, reader) = try Self.fullPool(timeout: timeout)
        broker.advance(by: 9_000)
        #expect(broker.take(reader).isEmpty)
        broker.advance(by: 1_000)
        #expect(broker.take(reader).codes == [.destinationStalled])
        #expect(broker.take(source).kinds == [.cancel])
        #expect(broker.held.inTransfer == 16 << 10)
        broker.advance(by: 10_000)
        #expect(broker.take(reader).codes == [.destinationStalled])
        #expect(broker.closed == [reader])
        #expect(broker.held.inTransfer == 0)
    }

    @Test("While others wait for room, a slow source does not protect a destination that does not read")
    func pressureOfSlowSource() throws {
        let broker = StateHarness { $0.transferPool = 16 << 10 }
        broker.deliversAtOnce = false
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        broker.load(from: reader)
        let ask = try #require(broker.takeAsks(source).first)
        broker.load(from: reader)
        for _ in 0..<10 {
            broker.data([1], on: ask, from: source)
            broker.advance(by: 1_000)
        }
        #expect(broker.take(reader).codes == [.destinationStalled])
    }

    @Test("While others wait for room, bytes that have just arrived are not late, however long the source was silent")
    func pressureAfterSilence() throws {
        let broker = StateHarness { $0.transferPool = 16 << 10 }
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        broker.load(from: reader) { $0.timeoutMilliseconds = 0 }
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 16 << 10, on: ask, from: source)
        broker.deliversAtOnce = false
        broker.load(from: reader) { $0.timeoutMilliseconds = 0 }
        broker.advance(by: 60_000)
        broker.data([1], on: ask, from: source)
        broker.advance(by: 9_000)
        #expect(broker.take(reader).codes.isEmpty)
        broker.advance(by: 1_000)
        #expect(broker.take(reader).codes == [.destinationStalled])
    }

    @Test("While others wait for room, a destination that reads continues")
    func readsAgain() throws {
        let (broker, source, reader) = try Self.fullPool()
        broker.advance(by: 9_000)
        broker.deliver(to: reader)
        #expect(broker.take(source).kinds == [.credit])
        broker.advance(by: 2_000)
        #expect(broker.take(reader).isEmpty && broker.closed.isEmpty)
    }
}
