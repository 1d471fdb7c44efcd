import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The history in a status: the last loads of boards and the last connections.
@Suite(.pure) struct HistoryTests {
    private let broker = StateHarness()
    private let source: PeerID
    private let observer: PeerID

    init() {
        source = broker.connect("source")
        observer = broker.connect("observer")
    }

    private var reads: [BoardRead] { broker.status(from: observer, history: true).compactMap(\.read) }
    private var closed: [ClosedPeer] { broker.status(from: observer, history: true).compactMap(\.closed) }

    private func paste(_ label: String, board: String? = nil) {
        let reader = broker.connect(label)
        broker.load(from: reader) { $0.board = board }
        broker.disconnect(reader)
    }

    @Test("A board that is remembered only because it is watched has no history")
    func watched() {
        _ = broker.watch("x", from: observer)
        for _ in 0..<2 {
            broker.promise("a", board: "x", from: source)
            paste("reader", board: "x")
        }
        #expect(reads.count == 2)
        broker.clear("x", from: source)
        #expect(reads.isEmpty)
    }

    @Test("A status shows who loaded what when, also after the program and the contents are gone")
    func whoWhatWhen() {
        broker.promise("public.png", from: source)
        paste("first")
        broker.advance(by: 3_000)
        let living = broker.connect("living")
        broker.load(from: living)
        let before = reads
        #expect(before.map(\.label) == ["first", "living"])
        #expect(before.map(\.type) == ["public.png", "public.png"])
        #expect(before.map(\.milliseconds) == [3_000, 0])
        #expect(before.allSatisfy { $0.board == BoardName.general && $0.process != nil })
        broker.promise("public.text", from: source)
        broker.clear(from: source)
        #expect(reads == before)
    }

    @Test("A board remembers its last 16 loads, of all its contents")
    func sixteen() {
        broker.promise("public.png", board: "b", from: source)
        for index in 0..<20 { paste("png \(index)", board: "b") }
        #expect(reads.map(\.label) == (4..<20).map { "png \($0)" })
        broker.promise("public.text", board: "b", from: source)
        for index in 0..<5 { paste("text \(index)", board: "b") }
        #expect(reads.map(\.label) == (9..<20).map { "png \($0)" } + (0..<5).map { "text \($0)" })
    }

    @Test("A status shows no load of a representation that the peer may not see, also after it was replaced")
    func hidden() {
        broker.write([Item([Representation("com.example.secret", visibility: .ownProcess)])], from: source)
        broker.load(from: source)
        #expect(reads.isEmpty)
        #expect(broker.status(from: source, history: true).compactMap(\.read).map(\.type) == ["com.example.secret"])
        broker.promise("public.text", from: source)
        #expect(broker.status(from: source, history: true).compactMap(\.read).isEmpty)
    }

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
        broker.promise("public.png", from: source)
        paste("reader")
        let entries = broker.status(from: observer)
        #expect(!entries.isEmpty)
        #expect(entries.allSatisfy { $0.read == nil && $0.closed == nil && $0.process == nil })
    }
}
