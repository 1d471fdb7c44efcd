import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Lists and statuses that are sent in pieces.
@Suite(.pure) struct ReportTests {
    private let broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect("source")
        reader = broker.connect("reader")
        broker.readsReports = false
    }

    /// Publishes items of about 10 KB each.
    private func publish(_ count: Int) {
        let item = Item(
            (0..<40).map { Representation("com.example.type\($0)." + String(repeating: "x", count: 200)) }
        )
        broker.write([Item](repeating: item, count: count), board: "large", from: source)
    }

    private func list() -> [FrameKind] {
        broker.list("large", from: reader).map(\.kind)
    }

    @Test("A list continues when it is continued, and contains every item once")
    func pieces() {
        publish(7)
        var heard = list()
        #expect(heard == [.contents, .item, .item])
        #expect(broker.unfinishedReports == [reader])
        while broker.unfinishedReports == [reader] {
            broker.continueReport(for: reader, pieces: 1)
            let piece = broker.take(reader).map(\.kind)
            #expect((1...3).contains(piece.count))
            heard += piece
        }
        #expect(heard == [.contents] + [FrameKind](repeating: .item, count: 7) + [.end])
        #expect(broker.brokenInvariants() == [])
    }

    @Test("A list shows the contents that it began with, although they are replaced and their writer disconnects")
    func replaced() {
        publish(7)
        var heard = list()
        broker.promise("public.png", board: "large", from: broker.connect("other"))
        broker.disconnect(source)
        #expect(broker.brokenInvariants() == [])
        broker.continueReport(for: reader)
        heard += broker.take(reader).map(\.kind)
        #expect(heard == [.contents] + [FrameKind](repeating: .item, count: 7) + [.end])
        #expect(broker.brokenInvariants() == [])
    }

    @Test("A list ends with its connection, or when it is cancelled", arguments: [true, false])
    func abandoned(disconnects: Bool) {
        publish(7)
        let stream = broker.list("large", from: reader)[0].stream
        if disconnects {
            broker.disconnect(reader)
        } else {
            broker.send(Cancel(), on: stream, from: reader)
            broker.continueReport(for: reader, pieces: 1)
            #expect(broker.take(reader).isEmpty)
            #expect(broker.unfinishedReports == [])
        }
        #expect(broker.brokenInvariants() == [])
    }

    @Test("A peer that no longer reads is sent nothing more")
    func deaf() {
        publish(7)
        _ = list()
        broker.stopReading(reader)
        broker.continueReport(for: reader, pieces: 1)
        #expect(broker.unfinishedReports == [])
        #expect(broker.brokenInvariants() == [])
    }

    @Test("A status is sent in pieces, without the peers and boards that have ended since it began")
    func status() {
        for index in 0..<300 {
            broker.promise("public.png", board: "\(index) " + String(repeating: "n", count: 200), from: source)
        }
        let others = (0..<300).map { broker.connect(String(repeating: "p", count: 200) + "\($0)") }
        broker.send(Status(), on: broker.newStream(of: reader), from: reader)
        var entries = broker.take(reader).filter { $0.kind == .statusEntry }.map { $0.decode(StatusEntry.self) }
        #expect(entries.allSatisfy { $0.peer != nil })
        for peer in others { broker.disconnect(peer) }
        broker.continueReport(for: reader, pieces: 2)
        entries += broker.take(reader).filter { $0.kind == .statusEntry }.map { $0.decode(StatusEntry.self) }
        #expect((1..<300).contains(entries.count { $0.board != nil }))
        broker.disconnect(source)
        broker.continueReport(for: reader)
        let frames = broker.take(reader)
        entries += frames.filter { $0.kind == .statusEntry }.map { $0.decode(StatusEntry.self) }
        #expect(frames.last?.kind == .end)
        #expect((1..<302).contains(entries.count { $0.peer != nil }))
        #expect(entries.contains { $0.limit != nil } && entries.contains { $0.counter != nil })
    }
}
