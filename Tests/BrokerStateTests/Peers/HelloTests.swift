import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct HelloTests {
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
