import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Lists, loads and the status treat a representation that a peer may not see as if it did not exist.
@Suite(.pure) struct VisibilityTests {
    private static let types = ["a.all", "a.team", "a.group", "a.own"]

    private var broker = StateHarness()
    private let source: PeerID

    init() {
        source = broker.connect("s", process: 1, groups: ["blue", "red"])
        let item = Item(
            Self.types.indices.map { Representation(Self.types[$0], visibility: Visibility(rawValue: UInt32($0))) }
        )
        broker.write([item], from: source)
        _ = broker.take(source)
    }

    private mutating func listed(to peer: PeerID) -> [String] {
        (broker.list(from: peer).first(Item.self)?.representations ?? []).map(\.type)
    }

    private mutating func shown(to peer: PeerID) -> [String] {
        broker.send(Status(), on: broker.newStream(of: peer), from: peer)
        return broker.take(peer).all(StatusEntry.self).compactMap(\.board).first?.types ?? []
    }

    /// The types of loaded representations, and the available types that failed loads report.
    private mutating func loaded(by peer: PeerID) -> [String] {
        Self.types.filter { type in
            let stream = broker.load(from: peer) { $0.accepts = [Accept(type, match: .exact)] }
            let failure = broker.take(peer).first(Failure.self)
            broker.send(Cancel(), on: stream, from: peer)
            if let failure { #expect(failure.code == .typeUnavailable && failure.detail?.contains(type) != true) }
            return failure == nil
        }
    }

    private mutating func check(_ peer: PeerID, sees indices: [Int]) {
        let types = indices.map { Self.types[$0] }
        #expect(listed(to: peer) == types)
        #expect(shown(to: peer) == types)
        #expect(loaded(by: peer) == types)
    }

    @Test("A program of this user sees representations for all and for the team, a link only those for all")
    mutating func team() {
        check(broker.connect("r"), sees: [0, 1])
        check(broker.connect("r", role: .program), sees: [0, 1])
        check(broker.connect("l", role: .link), sees: [0])
    }

    @Test("A peer sees representations for a group if it has one of the writer's tokens")
    mutating func group() {
        check(broker.connect("r", groups: ["green", "red"]), sees: [0, 1, 2])
        check(broker.connect("r", groups: ["green", "Red", "re"]), sees: [0, 1])
        check(broker.connect("l", role: 2, groups: ["blue"]), sees: [0, 2])
    }

    @Test("The writer's own process sees everything, also over other connections")
    mutating func ownProcess() {
        check(source, sees: [0, 1, 2, 3])
        check(broker.connect("r", process: 1), sees: [0, 1, 2, 3])
    }

    @Test("The writer's tokens outlive its connection")
    mutating func afterDeath() {
        let item = Item([Representation("a.kept", kept: true, visibility: .group)])
        broker.write([item], kept: [[1, 2]], from: source)
        broker.disconnect(source)
        #expect(listed(to: broker.connect("r", groups: ["blue"])) == ["a.kept"])
        let stranger = broker.connect("r")
        #expect(listed(to: stranger) == [])
        broker.load(from: stranger)
        #expect(broker.take(stranger).codes == [.nothingHere])
    }

    @Test("The status counts kept bytes and lists loads only of visible representations")
    mutating func status() {
        let item = Item([
            Representation("a.open", kept: true), Representation("a.kept", kept: true, visibility: .ownProcess),
            Representation("a.own", visibility: .ownProcess),
        ])
        broker.write([item], kept: [[1], [2, 3]], from: source)
        let stranger = broker.connect("r")
        let colleague = broker.connect("c", process: 1)
        broker.load(from: colleague) { $0.accepts = [Accept("a.own", match: .exact)] }
        for (peer, keptBytes, types) in [(colleague, UInt64(3), ["a.own"]), (stranger, 1, [])] {
            _ = broker.take(peer)
            broker.send(Status(), on: broker.newStream(of: peer), from: peer)
            let entries = broker.take(peer).all(StatusEntry.self)
            #expect(entries.compactMap(\.board).map(\.keptBytes) == [keptBytes])
            #expect(entries.compactMap(\.load).map(\.type) == types)
        }
    }

    @Test("Items without visible representations are neither listed nor counted")
    mutating func places() {
        var hidden = Item([Representation("a", visibility: .ownProcess)], name: "secret")
        hidden.teamData = [1]
        hidden.presentationStyle = .inline
        broker.write([hidden, Item([Representation("b")], name: "open"), hidden], from: source)
        _ = broker.take(source)
        let reader = broker.connect("r")
        let frames = broker.list(from: reader)
        #expect(frames.first(Contents.self)?.itemCount == 1)
        #expect(frames.all(Item.self).map(\.suggestedName) == ["open"])
        // The reader's first item is the source's second one.
        broker.load(from: reader)
        let frame = broker.take(source).first { $0.kind == .ask }
        let ask = frame?.decode(Ask.self)
        #expect(ask?.item == 1 && ask?.type == "b")
        broker.data([1], last: true, on: frame?.stream ?? 0, from: source)
        let answer = broker.take(reader).first(Answer.self)
        #expect(answer?.item == 0 && answer?.itemCount == 1)
    }

    @Test("Contents without visible representations look like an empty board")
    mutating func nothing() {
        broker.write([Item([Representation("a", visibility: .ownProcess)], name: "secret")], from: source)
        let reader = broker.connect("r")
        let frames = broker.list(from: reader)
        #expect(frames.first(Contents.self)?.handle == nil && frames.first(Contents.self)?.ownerLabel == nil)
        #expect(frames.all(Item.self).isEmpty)
        broker.load(from: reader)
        #expect(broker.take(reader).codes == [.nothingHere])
    }

    @Test("Lists contain an item's presentation, and its team data if the peer is on this machine")
    mutating func metadata() throws {
        var item = Item("a")
        item.presentationWidth = 1_500
        item.presentationHeight = 0
        item.presentationStyle = .attachment
        item.title = "A headline:\u{1B}[31m\u{9B}\n in \u{2066}two\u{2069} lines"
        item.teamData = [UInt8](repeating: 9, count: WireLimits.teamData)
        item.representations[0].fileOptions = .openInPlace
        broker.write([item], from: source)
        _ = broker.take(source)
        for (role, data) in [(.program, item.teamData), (.link, nil)] as [(Role, [UInt8]?)] {
            let reader = broker.connect("r", role: role)
            let listed = try #require(broker.list(from: reader).first(Item.self))
            #expect(listed.presentationWidth == 1_500 && listed.presentationHeight == 0)
            #expect(listed.presentationStyle == .attachment && listed.teamData == data)
            #expect(listed.title == "A headline:[31m in \u{2066}two\u{2069} lines" && listed.suggestedName == nil)
            #expect(listed.representations.first?.fileOptions == .openInPlace)
        }
        let metadata = broker.held.metadata
        #expect(metadata > UInt64(WireLimits.teamData), "team data is charged")

        item.teamData?.append(9)
        broker.write([item], from: source)
        #expect(broker.take(source).codes == [.limitExceeded])

        item.teamData = nil
        item.title = String(repeating: "é", count: WireLimits.title / 2)
        broker.write([item], from: source)
        #expect(broker.take(source).codes == [])
        let titled = broker.held.metadata
        item.title = nil
        broker.write([item], from: source)
        _ = broker.take(source)
        #expect(titled >= broker.held.metadata + UInt64(WireLimits.title), "a title is charged")
        item.title = String(repeating: "e", count: WireLimits.title + 1)
        broker.write([item], from: source)
        #expect(broker.take(source).codes == [.limitExceeded])
    }

    @Test(
        "A hello with an invalid token or with too many tokens is refused, and the error does not contain the token",
        arguments: [
            ([""], ErrorCode.invalidArgument), ([String(repeating: "t", count: 256)], .invalidArgument),
            ([String](repeating: "ttttt", count: 9), .limitExceeded),
        ]
    )
    mutating func badTokens(_ groups: [String], _ code: ErrorCode) throws {
        let peer = broker.connectSilently()
        var hello = Hello()
        hello.groups = groups
        broker.send(hello, on: 0, from: peer)
        let frames = broker.take(peer)
        #expect(frames.codes == [code] && frames[0].stream == 0)
        #expect(broker.closed == [peer])
        #expect(try #require(frames.first(Failure.self)).text.contains("tttt") == false)
    }

    @Test("The maximum number of tokens of the maximum length is accepted")
    mutating func tokens() {
        let groups = (0..<8).map { String(repeating: String($0), count: 255) }
        let peer = broker.connect("r", groups: groups)
        #expect(!broker.closed.contains(peer))
    }
}
