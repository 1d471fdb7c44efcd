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

    private mutating func start() throws -> (load: UInt64, ask: UInt64) {
        let load = broker.load(from: reader)
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
