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

    @Test("A destination that does not read has no deadline while nobody waits for its source")
    mutating func timeouts() throws {
        broker.deliversAtOnce = false
        let (_, ask) = try start()
        broker.data(count: 256 << 10, on: ask, from: source)
        _ = broker.take(reader)
        let none = failure(within: 7_200_000, step: 60_000)
        #expect(none == nil)
    }
}
