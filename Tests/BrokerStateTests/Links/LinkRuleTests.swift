import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The rules about links, Y27 to Y31.
@Suite(.pure) struct LinkRuleTests {
    private let broker = StateHarness(epoch: 77)
    private let link: PeerID
    private let program: PeerID

    init() {
        link = broker.connectLink("link to ada", process: 9)
        program = broker.connect("program", process: 7)
    }

    /// Writes one promise as the link. Returns the error; nil if the write was committed.
    private func write(_ origin: Origin?, board: String? = nil, from peer: PeerID? = nil) -> ErrorCode? {
        let peer = peer ?? link
        _ = broker.take(peer)
        let stream = broker.write([Item("a")], board: board, origin: origin, from: peer)
        return broker.take(peer).on(stream).codes.first
    }

    private func clear(_ origin: Origin) -> ErrorCode? {
        let stream = broker.clear(origin: origin, from: link)
        return broker.take(link).on(stream).codes.first
    }

    private func contents(for peer: PeerID? = nil, at broker: StateHarness? = nil) -> Contents? {
        let broker = broker ?? self.broker
        return broker.list(from: peer ?? link).first(Contents.self)
    }

    // MARK: Order

    /// The state of a board before a link writes or clears.
    enum Present: CaseIterable {
        case nothing, contents, cleared, withdrawn
    }

    @Test(
        "A link's write or clear takes the place of what is older, by moment and then by epoch",
        arguments: Present.allCases
    )
    func order(_ present: Present) {
        let rows: [(origin: Origin, isNewer: Bool)] = [
            (Origin([50], 2_001), true), (Origin([51], 2_000), true), (Origin([51, 3, 4], 2_000), true),
            (Origin([50], 2_000), false), (Origin([50, 99], 2_000), false), (Origin([49], 2_000), false),
            (Origin([51], 1_999), false), (Origin([51], 0), false),
        ]
        for (origin, isNewer) in rows {
            for isWrite in [true, false] {
                let test = Self()
                switch present {
                case .nothing: break
                case .contents: #expect(test.write(Origin([50, 60], 2_000)) == nil)
                case .cleared:
                    test.broker.promise("a", from: test.program)
                    #expect(test.clear(Origin([50, 60], 2_000)) == nil)
                case .withdrawn:
                    let stream = test.broker.write([Item("a")], origin: Origin([50], 2_000), from: test.link)
                    test.broker.send(Cancel(), on: stream, from: test.link)
                }
                let isTaken = isNewer || present == .nothing || present == .withdrawn
                let code = isWrite ? test.write(origin) : test.clear(origin)
                #expect(code == (isTaken ? nil : .superseded), "\(origin)")
                #expect(test.broker.brokenInvariants().isEmpty)
            }
        }
    }

    @Test("A program's write and clear are newer than all that the broker has seen, with any clock")
    func programs() throws {
        broker.setWall(5_000)
        broker.promise("a", from: program)
        #expect(contents()?.origin == Origin([77], 5_000))
        #expect(write(Origin([50], 4_999)) == .superseded)
        #expect(write(Origin([50], 9_000)) == nil)
        #expect(contents()?.origin == Origin([50, 77], 9_000))
        broker.promise("a", from: program)
        #expect(contents()?.origin == Origin([77], 9_001))
        broker.clear(from: program)
        let cleared = contents()
        #expect(cleared?.handle == nil && cleared?.origin == Origin([77], 9_002))
        broker.promise("a", board: "other", from: program)
        broker.setWall(20_000)
        broker.promise("a", from: program)
        #expect(contents()?.origin == Origin([77], 20_000))
    }

    @Test("A write that became too old before its commit is refused there")
    func overtaken() {
        broker.setWall(5_000)
        let stream = broker.begin(origin: Origin([50], 6_000), from: link)
        broker.send(Item("a"), on: stream, from: link)
        broker.setWall(7_000)
        broker.promise("a", from: program)
        broker.commit(1, on: stream, from: link)
        #expect(broker.take(link).on(stream).codes == [.superseded])
    }

    @Test("Contents that have been at a broker do not come back to it")
    func loops() {
        #expect(write(Origin([77], 9_000)) == .superseded)
        #expect(write(Origin([50, 77, 60], 9_000)) == .superseded)
        #expect(clear(Origin([50, 77], 9_000)) == .superseded)
    }

    @Test("An origin needs a link, a moment and a path that has room for the broker")
    func invalid() {
        let path = (1...16).map { UInt64($0) }
        for (origin, code) in [
            (Origin([], 5), .invalidArgument), (Origin([50], nil), .invalidArgument), (Origin(), .invalidArgument),
            (Origin([50], 86_400_000_000), .invalidArgument), (Origin(path, 5), .limitExceeded),
            (Origin(path + [17], 5), .limitExceeded),
        ] as [(Origin, ErrorCode)] {
            #expect(write(origin) == code)
            #expect(clear(origin) == code)
        }
        #expect(write(Origin(Array(path.dropLast()), 5)) == nil)
        #expect(write(Origin([50], 9_000), from: program) == .invalidArgument)
        let handle = broker.promise("a", board: "own", from: link).handle
        var request = Write()
        request.origin = Origin([50], 9_000)
        broker.send(request, on: broker.newStream(of: link), from: link)
        for (handle, count) in [(handle, nil), (nil, 5_001)] as [(UInt64?, UInt64?)] {
            let epoch: UInt64? = count == nil ? nil : 70
            let origin = Origin([50], 9_000)
            broker.begin(adding: handle, reclaiming: count, of: epoch, origin: origin, from: link)
        }
        #expect(broker.take(link).codes == [.invalidArgument, .invalidArgument, .invalidArgument])
        #expect(broker.closed.isEmpty)
    }

    // MARK: What links see

    @Test("Only links with the feature are sent origins, in lists and in changes, also of a clear")
    func sent() throws {
        let older = broker.connect(role: .link)
        let reader = broker.connect()
        let watches = [link, older, reader].map { ($0, broker.watchAll(from: $0)) }
        broker.setWall(5_000)
        broker.promise("a", from: program)
        broker.advance(by: 100)
        broker.clear(from: program)
        broker.advance(by: 100)
        broker.promise("a", terms: ContentTerms(expires: 50), from: program)
        broker.advance(by: 100)
        for (peer, watch) in watches {
            let origins = broker.takeChanges(peer, on: watch).map(\.origin)
            let sent = [Origin([77], 5_000), Origin([77], 5_100), Origin([77], 5_200), nil]
            #expect(origins == (peer == link ? sent : [nil, nil, nil, nil]))
        }
        #expect(contents()?.origin == nil)
        broker.promise("a", from: program)
        #expect(contents()?.origin != nil)
        #expect(contents(for: older)?.origin == nil && contents(for: reader)?.origin == nil)
    }

    @Test("A link is not sent the origin of contents of which it sees nothing")
    func hidden() {
        broker.promise("a", terms: ContentTerms(localOnly: true), from: program)
        #expect(contents()?.origin == nil)
        broker.write([Item([Representation("a", visibility: .team)])], from: program)
        #expect(contents()?.origin == nil && contents()?.handle == nil)
    }

    @Test("A link sees only what everybody sees, also with a token and in its own process")
    func visibility() {
        let source = broker.connect(process: 9, groups: ["red"])
        let types = ["a.all", "a.team", "a.group", "a.own"]
        broker.write(
            [Item(types.indices.map { Representation(types[$0], visibility: Visibility(rawValue: UInt32($0))) })],
            from: source
        )
        let link = broker.connect(process: 9, role: .link, groups: ["red"])
        #expect(broker.list(from: link).first(Item.self)?.representations.map(\.type) == ["a.all"])
    }

    // MARK: Ends

    @Test(
        "The contents of a link end with its connection or its cancel, with the bytes that were kept, and can come back",
        arguments: [true, false]
    )
    func ended(_ isDisconnect: Bool) throws {
        var item = Item([Representation("once"), Representation("each")])
        item.representations[0].policy = .onceAndKept
        item.requires = [Feature.onceAndKept.rawValue]
        let origin = Origin([50, 60], 9_000)
        let stream = broker.write([item], origin: origin, from: link)
        let watch = broker.watch(from: program)
        let cached = broker.load(from: program) { $0.accepts = [Accept("once")] }
        let ask = try #require(broker.takeAsks(link).first)
        broker.data([1, 2, 3], last: true, on: ask, from: link)
        #expect(broker.take(program).on(cached).bytes == [1, 2, 3])
        let waiting = broker.load(from: program) { $0.accepts = [Accept("each")] }
        let last = try #require(broker.takeAsks(link).first)
        if isDisconnect { broker.disconnect(link) } else { broker.send(Cancel(), on: stream, from: link) }
        broker.advance(by: 100)
        // Loads that have begun are finished by a link that is still there.
        if !isDisconnect { broker.data([4], last: true, on: last, from: link) }
        let frames = broker.take(program)
        let failure = frames.on(waiting).first(Failure.self)
        #expect(failure?.code == (isDisconnect ? .linkDown : nil))
        #expect(failure?.text.hasPrefix("the link to ada has ended: ") ?? (frames.on(waiting).bytes == [4]))
        let change = frames.on(watch).all(Change.self).last
        #expect(change?.handle == nil && change?.clearerProcess == nil && broker.openMemory == 0)
        let again = broker.connectLink("link to ada")
        #expect(contents(for: again)?.origin == nil)
        #expect(write(origin, from: again) == nil)
        #expect(broker.finish().isEmpty)
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

    @Test("A reclaim keeps the moment of contents whose place it takes, and otherwise gets a new one")
    func reclaimed() throws {
        broker.setWall(5_000)
        let count = try #require(broker.promise("a", from: program).changeCount)
        broker.disconnect(program)
        broker.setWall(6_000)
        let again = broker.connect("program", process: 7)
        let stream = broker.begin(reclaiming: count, of: 77, from: again)
        broker.send(Item("a"), on: stream, from: again)
        broker.commit(1, on: stream, from: again)
        #expect(broker.take(again).codes.isEmpty && contents()?.origin == Origin([77], 5_000))
        let other = broker.begin(board: "other", reclaiming: 4_000, of: 70, from: again)
        broker.send(Item("a"), on: other, from: again)
        broker.commit(1, on: other, from: again)
        #expect(broker.take(again).codes.isEmpty)
        #expect(broker.list("other", from: link).first(Contents.self)?.origin == Origin([77], 6_000))
    }

    @Test("A program replaces the contents of a link, which learns it by the end of its write")
    func replaced() {
        let stream = broker.write([Item("a")], origin: Origin([50], 9_000), from: link)
        broker.promise("a", from: program)
        #expect(broker.take(link).on(stream).first(End.self)?.reason == .replaced)
    }

    @Test("An error that a link passes on keeps its code and words")
    func passedOn() throws {
        broker.write([Item("a")], origin: Origin([50], 9_000), from: link)
        let load = broker.load(from: program) { $0.accepts = [Accept("a")] }
        let ask = try #require(broker.takeAsks(link).first)
        broker.send(Failure(.sourceStalled, "the camera (on ada)"), on: ask, from: link)
        let failure = try #require(broker.take(program).on(load).first(Failure.self))
        #expect(failure.code == .sourceStalled && failure.text == "the camera (on ada)")
    }

    @Test("A link sees concealed contents only if its user wants that")
    func secrets() {
        let other = broker.connect("link to bob", links: true, role: .link, seesConcealed: true)
        var terms = ContentTerms()
        terms.isConcealed = true
        broker.promise("a", terms: terms, from: program)
        #expect(contents()?.handle == nil && contents(for: other)?.handle != nil)
        terms.isLocalOnly = true
        broker.promise("a", terms: terms, from: program)
        #expect(contents(for: other)?.handle == nil)
    }

    @Test("A watch of the destinations reports that some were registered or have ended")
    func destinations() {
        let watch = broker.watchDestinations(from: link)
        #expect(broker.take(link).on(watch).first(Registered.self)?.changeCount == 0)
        let stream = broker.register(from: program)
        #expect(broker.takeChanges(link, on: watch).map(\.changeCount) == [1])
        broker.advance(by: 100)
        broker.send(Cancel(), on: stream, from: program)
        #expect(broker.takeChanges(link, on: watch).map(\.changeCount) == [2])
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
