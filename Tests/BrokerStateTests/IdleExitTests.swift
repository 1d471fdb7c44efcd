import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The exit of a broker without connections.
@Suite(.pure) struct IdleExitTests {
    @Test("By default a broker does not exit, however long it has no connections")
    func stays() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.disconnect(peer)
        broker.advance(by: 365 * 86_400_000)
        #expect(!broker.isDraining)
    }

    @Test("A broker without any connection exits after the limit idle-exit")
    func neverConnected() {
        let broker = StateHarness { $0.idleExit = 60_000 }
        broker.advance(by: 1_000)
        broker.advance(by: 58_000)
        #expect(!broker.isDraining)
        broker.advance(by: 1_000)
        #expect(broker.isDraining && broker.isDrained && broker.stoppedListening)
    }

    @Test("The time counts from the end of the last connection, and kept contents do not stop it")
    func lastConnection() {
        let broker = StateHarness { $0.idleExit = 60_000 }
        let (first, second) = (broker.connect(), broker.connect())
        broker.write([Item([Representation("a", byteCount: 1, kept: true)])], kept: [[1]], from: first)
        broker.disconnect(first)
        broker.advance(by: 600_000)
        #expect(!broker.isDraining)
        broker.disconnect(second)
        broker.advance(by: 50_000)
        // A new connection starts the time again.
        let third = broker.connect()
        broker.disconnect(third)
        broker.advance(by: 50_000)
        #expect(!broker.isDraining)
        broker.advance(by: 10_000)
        #expect(broker.isDraining && broker.isDrained)
    }
}
