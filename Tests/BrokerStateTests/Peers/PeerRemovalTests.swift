import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The records of peers that the broker refuses or disconnects, from which the driver writes its log.
@Suite(.pure) struct PeerRemovalTests {
    @Test("A peer that violates the protocol is reported with its name, process, code and reason")
    func ended() {
        let broker = StateHarness()
        let peer = broker.connect("editor", process: 812)
        broker.raw(kind: FrameKind.welcome.rawValue, on: 1, from: peer)
        #expect(broker.closed == [peer])
        #expect(
            broker.removals.map(\.text) == [
                #"ended "editor" (pid 812): protocol-violation: welcome must not be sent on stream 1"#
            ]
        )
    }

    @Test("A peer that sends no hello in time is reported by its process")
    func silent() {
        let broker = StateHarness()
        _ = broker.connectSilently(process: 813)
        broker.advance(by: 5_000)
        let text = "ended pid 813: timeout: no complete hello was received within 5000 ms"
        #expect(broker.removals.map(\.text) == [text])
    }

    @Test("A connection beyond the limit is reported as refused")
    func refused() {
        let broker = StateHarness { $0.connections = 1 }
        _ = broker.connect(process: 1)
        _ = broker.connectSilently(process: 814)
        #expect(broker.removals.map(\.action) == [.refused])
        #expect(broker.removals.first?.text.hasPrefix("refused pid 814: limit-exceeded: ") == true)
    }

    @Test("A peer that leaves, or whose request fails, is not reported")
    func ordinary() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.send(Load(), on: 1, from: peer)
        broker.disconnect(peer)
        #expect(broker.removals.isEmpty)
    }

    @Test("Control characters in names and reasons do not reach the log")
    func printable() {
        let broker = StateHarness()
        let peer = broker.connect("a\u{1B}[31m\nb\u{9B}", process: 815)
        broker.raw(kind: FrameKind.welcome.rawValue, on: 1, from: peer)
        #expect(broker.removals.first?.text.hasPrefix(#"ended "a[31mb" (pid 815): "#) == true)
        let removal = PeerRemoval(.ended, process: 1, name: "x\u{7}", Failure(.refused, "one\r\ntwo\u{0}"))
        #expect(removal.text == "ended x: refused: onetwo")
    }
}
