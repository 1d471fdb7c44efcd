import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The history in a status: the last connections, and the processes.
@Suite(.pure) struct HistoryTests {
    private let broker = StateHarness()
    private let source: PeerID
    private let observer: PeerID

    init() {
        source = broker.connect("source")
        observer = broker.connect("observer")
    }

    private var closed: [ClosedPeer] { broker.status(from: observer, history: true).compactMap(\.closed) }

    @Test("A status shows the last 16 connections that ended, with the reason if the broker ended them")
    func closedConnections() {
        for index in 0..<300 { broker.disconnect(broker.connect("program \(index)")) }
        let rude = broker.connect("rude")
        broker.sendBytes([UInt8](repeating: 0xFF, count: 16), from: rude)
        let closed = self.closed
        #expect(closed.map(\.label) == (285..<300).map { "program \($0)" } + ["rude"])
        #expect(closed.dropLast().allSatisfy { $0.reason == nil })
        #expect(closed.last?.reason?.hasPrefix("protocol-violation") == true)
    }

    @Test("A refused connection is among the last ones")
    func refused() {
        let broker = StateHarness { $0.connectionsPerProcess = 1 }
        let observer = broker.connect(process: 7)
        _ = broker.connectSilently(process: 7)
        let closed = broker.status(from: observer, history: true).compactMap(\.closed)
        #expect(closed.map(\.process) == [7] && closed[0].reason?.hasPrefix("limit-exceeded") == true)
    }

    @Test("A status has a line for each process, with its connections and the cost of its input")
    func processes() {
        let first = broker.connect(process: 100)
        _ = broker.connect(process: 100)
        broker.spend(25_000, by: first)
        let process = broker.status(from: observer, history: true).compactMap(\.process).first { $0.process == 100 }
        #expect(process?.connections == 2 && process?.microseconds == 2_500)
    }

    @Test("A status that does not ask for the history has none of its entries")
    func unasked() {
        broker.disconnect(source)
        let entries = broker.status(from: observer)
        #expect(!entries.isEmpty)
        #expect(entries.allSatisfy { $0.closed == nil && $0.process == nil })
    }
}
