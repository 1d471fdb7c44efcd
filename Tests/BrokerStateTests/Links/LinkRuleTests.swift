import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents of links and bridges after a restart of the broker, and links in the status.
@Suite(.pure) struct LinkRuleTests {
    private let broker = StateHarness(epoch: 77)
    private let link: PeerID
    private let program: PeerID

    init() {
        link = broker.connectLink("link to ada", process: 9)
        program = broker.connect("program", process: 7)
    }

    private func contents(for peer: PeerID, at broker: StateHarness? = nil) -> Contents? {
        (broker ?? self.broker).list(from: peer).first(Contents.self)
    }

    @Test("Contents of a link are not saved, also if their bytes are kept; those of a program keep their moment")
    func saved() {
        broker.setSaving(true)
        broker.setWall(5_000)
        let kept = [Item([Representation("a", kept: true)])]
        broker.write(kept, kept: [[1]], board: "link", origin: Origin([50], 9_000), from: link)
        #expect(broker.take(link).codes.isEmpty && broker.saved.isEmpty)
        broker.write(kept, kept: [[1]], from: program)
        #expect(broker.saved.count == 1)
        let successor = broker.successor()
        let link = successor.connectLink()
        // The first epoch stays, so that what linked brokers still have of them is not newer.
        #expect(contents(for: link, at: successor)?.origin == Origin([77, 78], 9_001))
        let phantom = successor.write([Item("a")], origin: Origin([77, 60], 9_001), from: link)
        let newer = successor.write([Item("a")], origin: Origin([60], 9_002), from: link)
        let frames = successor.take(link)
        #expect(frames.on(phantom).codes == [.superseded] && frames.on(newer).codes.isEmpty)
        successor.setWall(1_000)
        let program = successor.connect()
        successor.promise("a", board: "other", from: program)
        #expect(successor.list("other", from: link).first(Contents.self)?.origin == Origin([78], 9_003))
    }

    @Test("What a bridge has written comes back with its path, which stays shorter than the limit")
    func bridge() {
        let path = (1...14).map { UInt64($0) }
        for (path, reclaimed, saved) in [
            ([50], [50, 78], [50, 77, 78]), (path, path + [78], Array(path.prefix(13)) + [77, 78]),
        ] {
            let test = Self()
            test.broker.setSaving(true)
            test.broker.setWall(5_000)
            let bridge = test.broker.connect(links: true, carriesOrigins: true)
            let kept = [Item([Representation("a", kept: true)])]
            test.broker.write(kept, kept: [[1]], origin: Origin(path, nil), from: bridge)
            #expect(test.contents(for: bridge)?.origin == Origin(path + [77], 5_000))
            let successor = test.broker.successor()
            let next = successor.connect(links: true, carriesOrigins: true)
            #expect(test.contents(for: next, at: successor)?.origin == Origin(saved, 5_000))
            let request = successor.begin(board: "b", reclaiming: 5, of: 70, origin: Origin(path, 4_000), from: next)
            successor.send(Item("a"), on: request, from: next)
            successor.commit(1, on: request, from: next)
            #expect(successor.list("b", from: next).first(Contents.self)?.origin == Origin(reclaimed, 4_000))
        }
    }

    @Test("The status shows the age of links and the bytes of their ended loads")
    func status() throws {
        broker.write([Item("a")], origin: Origin([50], 9_000), from: link)
        broker.promise("b", board: "own", from: program)
        broker.advance(by: 400)
        let received = broker.load(from: program) { $0.accepts = [Accept("a")] }
        broker.data([1, 2, 3], last: true, on: try #require(broker.takeAsks(link).first), from: link)
        broker.load(from: link) { $0.board = "own" }
        broker.data([1, 2], last: true, on: try #require(broker.takeAsks(program).first), from: program)
        _ = received
        let peers = broker.status(from: program).compactMap(\.peer)
        let shown = try #require(peers.first { $0.label == "link to ada" })
        #expect(shown.isLink == true && shown.milliseconds == 400 && shown.sentBytes == 3 && shown.receivedBytes == 2)
        let other = try #require(peers.first { $0.label == "program" })
        #expect(other.isLink == nil && other.milliseconds == nil && other.sentBytes == nil)
    }
}
