import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct HelloTests {
    @Test("Hello is answered by welcome with the current limits")
    func welcome() throws {
        let broker = StateHarness(epoch: 42, process: 7) { $0.keptPool = 1_000 }
        let peer = broker.connectSilently()
        var hello = Hello()
        hello.features = [Feature.condition.rawValue, 999]
        broker.send(hello, on: 0, from: peer)
        let frames = broker.take(peer)
        let welcome = try #require(frames.first(Welcome.self))
        #expect(frames.count == 1 && frames[0].stream == 0 && frames[0].order == .connection)
        #expect(welcome.version == 1 && welcome.epoch == 42 && welcome.process == 7)
        #expect(welcome.features == [Feature.condition.rawValue])
        #expect(welcome.maximumStreams == 128)
        #expect(welcome.keptPool == 1_000 && welcome.keptFree == 444)
        #expect(welcome.firstByteMilliseconds == 30_000 && welcome.progressMilliseconds == 10_000)
        #expect(welcome.settlingMilliseconds == nil)
    }

    @Test("After another broker, welcome has the time in which contents may come back")
    func settling() {
        let broker = StateHarness()
        broker.expectReclaims()
        func settling() -> UInt64? {
            let peer = broker.connectSilently()
            broker.send(Hello(), on: 0, from: peer)
            return broker.take(peer).first(Welcome.self)?.settlingMilliseconds
        }
        #expect(settling() == 2_000)
        broker.advance(by: 1_999)
        #expect(settling() == 1)
        broker.advance(by: 1)
        #expect(settling() == nil)
    }

    @Test("A peer that sends no hello within 5 s is sent an error and closed", .tags(.f01))
    func deadline() {
        let broker = StateHarness()
        let silent = broker.connectSilently()
        let polite = broker.connect()
        broker.advance(by: 4_999)
        #expect(broker.closed.isEmpty)
        let later = broker.connectSilently()
        broker.advance(by: 1)
        #expect(broker.take(silent).codes == [.timeout])
        #expect(broker.closed == [silent])
        broker.advance(by: 600_000)
        #expect(broker.closed == [silent, later] && !broker.closed.contains(polite))
    }

    @Test(
        "Any other frame before hello is a violation",
        .tags(.f09),
        arguments: FrameKind.allCases.filter { $0 != .hello }.map(\.rawValue) + [200]
    )
    func beforeHello(_ kind: UInt8) {
        for flags in [0, FrameFlags.mustUnderstand.rawValue] {
            let broker = StateHarness()
            let peer = broker.connectSilently()
            broker.raw(kind: kind, flags: flags, on: 1, from: peer)
            #expect(broker.take(peer).codes == [.protocolViolation])
            #expect(broker.closed == [peer])
        }
    }

    @Test(
        "A client is accepted if it speaks version 1, whatever else it speaks",
        .tags(.f88),
        arguments: [
            (UInt32?.none, UInt32?.none, true), (1, 1, true), (1, 9, true), (0, 1, true), (2, 3, false), (1, 0, false),
            (nil, 0, false), (.max, .max, false),
        ]
    )
    func versions(_ lowest: UInt32?, _ highest: UInt32?, _ isTaken: Bool) {
        let broker = StateHarness()
        let peer = broker.connectSilently()
        var hello = Hello()
        hello.minimumVersion = lowest
        hello.maximumVersion = highest
        broker.send(hello, on: 0, from: peer)
        let frames = broker.take(peer)
        #expect(isTaken ? frames.kinds == [.welcome] : frames.codes == [.versionMismatch])
        #expect(broker.closed.contains(peer) == !isTaken)
    }

    @Test(
        "The first bytes of another protocol are a violation",
        .tags(.f04),
        arguments: [
            Array("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8), Array("\0AUTH EXTERNAL 30\r\n".utf8),
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00],
        ] as [[UInt8]]
    )
    func otherProtocols(_ bytes: [UInt8]) {
        let broker = StateHarness()
        let peer = broker.connectSilently()
        broker.sendBytes(bytes, from: peer)
        #expect(broker.take(peer).codes == [.protocolViolation])
        #expect(broker.closed == [peer])
    }

    @Test("Connections beyond the limit of a process or of the broker are refused with an error")
    func connections() {
        let broker = StateHarness {
            $0.connections = 3
            $0.connectionsPerProcess = 2
        }
        _ = broker.connect(process: 1)
        let second = broker.connect(process: 1)
        let third = broker.connectSilently(process: 1)
        #expect(broker.take(third).codes == [.limitExceeded])
        #expect(broker.closed == [third])
        _ = broker.connect(process: 2)
        let fifth = broker.connectSilently(process: 3)
        #expect(broker.take(fifth).codes == [.limitExceeded])
        broker.disconnect(second)
        let sixth = broker.connectSilently(process: 3)
        #expect(broker.take(sixth).isEmpty)
    }

    @Test("A quarter of all connections is left to other processes, an eighth of all for their first ones")
    func lastConnections() {
        let broker = StateHarness { $0.connections = 80 }
        let greedy = (0..<80).map { _ in broker.connectSilently(process: 1) }
        #expect(greedy.prefix(63).allSatisfy { !broker.closed.contains($0) })
        #expect(greedy.dropFirst(63).allSatisfy { broker.closed.contains($0) })
        #expect(greedy.last.map { broker.take($0).codes } == [.limitExceeded])
        let others = (2...19).map { broker.connectSilently(process: $0) }
        #expect(others.map { broker.closed.contains($0) } == [Bool](repeating: false, count: 17) + [true])
    }
}
