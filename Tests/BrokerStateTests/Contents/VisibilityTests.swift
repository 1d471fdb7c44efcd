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
        check(broker.connect("l", role: 2, groups: ["blue"]), sees: [0])
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

    @Test("The team data and the title of an item are charged")
    mutating func metadata() {
        var item = Item("a")
        var charged: [UInt64] = []
        for (title, teamData) in [
            (nil, nil), (String(repeating: "é", count: WireLimits.title / 2), nil),
            (nil, [UInt8](repeating: 9, count: WireLimits.teamData)),
        ] as [(String?, [UInt8]?)] {
            (item.title, item.teamData) = (title, teamData)
            broker.write([item], from: source)
            #expect(broker.take(source).codes.isEmpty)
            charged.append(broker.held.metadata)
        }
        #expect(charged[1] >= charged[0] + UInt64(WireLimits.title))
        #expect(charged[2] >= charged[0] + UInt64(WireLimits.teamData))
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

    // MARK: Terms

    @Test(
        "A link sees concealed and local contents as an empty board, and other contents as everybody does",
        arguments: [
            (ContentTerms(concealed: true), false), (ContentTerms(localOnly: true), false),
            (ContentTerms(transient: true, autogenerated: true, expires: 5_000, loads: 2), true),
        ]
    )
    func links(_ terms: ContentTerms, isVisible: Bool) throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let committed = broker.promise("a", board: "one", terms: terms, from: writer)
        for role in [Role.link, 77] {
            let link = broker.connect(role: role)
            let listed = broker.list("one", from: link)
            let contents = try #require(listed.first(Contents.self))
            #expect(contents.changeCount == committed.changeCount)
            #expect((contents.handle != nil) == isVisible && (contents.terms != nil) == isVisible)
            #expect((contents.milliseconds != nil) == isVisible && listed.all(Item.self).isEmpty != isVisible)
            #expect(broker.status(from: link, history: true).compactMap(\.board).isEmpty != isVisible)
            let loads = [
                broker.load(from: link) { $0.board = "one" },
                broker.load(from: link) { $0.handle = committed.handle },
                broker.load(from: link) {
                    $0.board = "one"
                    $0.accepts = [Accept("a", match: .exact)]
                },
            ]
            let codes = broker.take(link).codes
            #expect(codes == (isVisible ? [.notLoadableNow] : [.nothingHere, .superseded, .nothingHere]))
            for load in loads { broker.send(Cancel(), on: load, from: link) }
        }
        let program = broker.connect()
        #expect(broker.list("one", from: program).first(Contents.self)?.handle == committed.handle)
        #expect(broker.closed.isEmpty && broker.brokenInvariants().isEmpty)
    }

    @Test("A link sees no load of contents that it does not see")
    func linksAndLoads() {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.promise("local.type", board: "one", terms: ContentTerms(localOnly: true), from: writer)
        let reader = broker.connect("reader")
        let link = broker.connect(role: .link)
        broker.load(from: reader) { $0.board = "one" }
        #expect(broker.status(from: reader).compactMap(\.load).map(\.type) == ["local.type"])
        #expect(broker.status(from: link).compactMap(\.load).isEmpty)
    }
}
