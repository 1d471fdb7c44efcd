import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents that outlive the broker, as its driver saves and restores them.
@Suite(.pure) struct SavedContentsTests {
    private let broker = StateHarness()
    private let writer: PeerID

    init() {
        broker.setSaving(true)
        writer = broker.connect("writer", process: 7)
    }

    private func loaded(_ type: String = "a", board: String? = nil, from broker: StateHarness) -> [Frame] {
        let peer = broker.connect("other", process: 8)
        let load = broker.load(from: peer) {
            $0.board = board
            $0.accepts = [Accept(type)]
        }
        return broker.take(peer).on(load)
    }

    @Test("A successor restores kept bytes under their change count, with names, owner, age and terms")
    func restored() throws {
        var item = Item([Representation("a", kept: true), Representation("b", supertypes: ["c"], visibility: .team)])
        item.suggestedName = "name"
        item.title = "title"
        item.teamData = [9]
        item.presentationWidth = 5
        broker.write([item], kept: [[1, 2, 3]], terms: ContentTerms(transient: true, expires: 60_000), from: writer)
        let successor = broker.successor()
        let peer = successor.connect("other", process: 8)
        let frames = successor.list(from: peer)
        let contents = try #require(frames.first(Contents.self))
        #expect(contents.changeCount == 5_001 && contents.epoch == 77 && contents.ownerLabel == "writer")
        #expect(contents.ownerProcess == 7 && contents.terms?.isTransient == true)
        #expect(contents.terms?.expiresMilliseconds == 59_900)
        let shown = try #require(frames.first(Item.self))
        #expect(shown.suggestedName == "name" && shown.title == "title" && shown.teamData == [9])
        #expect(shown.presentationWidth == 5)
        #expect(shown.representations.map(\.type) == ["a", "b"] && shown.representations[1].supertypes == ["c"])
        // Its source is gone.
        #expect(shown.representations.map(\.provision) == [.kept, .gone])
        #expect(loaded(from: successor).bytes == [1, 2, 3])
        let promised = loaded("b", from: successor)
        #expect(promised.codes == [.sourceGone])
        successor.advance(by: 60_000)
        #expect(successor.list(from: peer).first(Contents.self)?.handle == nil && successor.openMemory == 0)
        #expect(successor.brokenInvariants().isEmpty)
    }

    @Test("Contents that were saved without a change count get a new one of the successor")
    func uncounted() throws {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        let (id, entry) = try #require(broker.saved.first)
        var contents = entry.contents
        (contents.changeCount, contents.epoch) = (nil, nil)
        broker.keepSaved(id, SavedEntry(contents: contents, bytes: entry.bytes, number: entry.number))
        let successor = broker.successor()
        let shown = successor.list(from: successor.connect()).first(Contents.self)
        #expect(shown?.changeCount == 9_001 && shown?.epoch == 78)
        #expect(loaded(from: successor).bytes == [1] && successor.brokenInvariants().isEmpty)
    }

    @Test("Promises, secrets, contents for a number of loads, and created boards are not saved")
    func unsaved() {
        broker.promise("a", board: "promised", from: writer)
        let kept = [Item([Representation("a", kept: true)])]
        for (board, terms) in [("secret", ContentTerms(concealed: true)), ("once", ContentTerms(loads: 1))] {
            broker.write(kept, kept: [[1]], board: board, terms: terms, from: writer)
        }
        broker.send(CreateBoard.required, on: broker.newStream(of: writer), from: writer)
        let name = broker.take(writer).first(Registered.self)?.name
        broker.write(kept, kept: [[1]], board: name, from: writer)
        #expect(name != nil && broker.take(writer).codes.isEmpty && broker.saved.isEmpty)
    }

    @Test("Contents that were replaced, cleared or have expired do not come back")
    func replaced() {
        let kept = [Item([Representation("a", kept: true)])]
        for board in ["replaced", "promised", "cleared", "expired"] {
            let terms = board == "expired" ? ContentTerms(expires: 1_000) : nil
            broker.write(kept, kept: [[1]], board: board, terms: terms, from: writer)
        }
        broker.write(kept, kept: [[2]], board: "replaced", from: writer)
        broker.promise("a", board: "promised", from: writer)
        broker.clear("cleared", from: writer)
        broker.advance(by: 1_000)
        #expect(broker.saved.count == 1)
        let successor = broker.successor()
        #expect(loaded(board: "replaced", from: successor).bytes == [2])
        for board in ["promised", "cleared", "expired"] {
            #expect(loaded(board: board, from: successor).codes == [.nothingHere])
        }
    }

    @Test("Contents whose time is over when the successor starts are not restored")
    func expired() {
        broker.write(
            [Item([Representation("a", kept: true)])],
            kept: [[1]],
            terms: ContentTerms(expires: 1_000),
            from: writer
        )
        var failures: [Failure] = []
        let successor = broker.successor(later: 1_000, failures: &failures)
        #expect(failures.map(\.code) == [.nothingHere] && successor.held == StateHarness().held)
    }

    @Test("Of two contents of a board, which a crash can leave, the newer ones are restored")
    func newest() throws {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        let older = try #require(broker.saved.first)
        broker.write([Item([Representation("a", kept: true)])], kept: [[2]], from: writer)
        broker.keepSaved(older.key, older.value)
        var failures: [Failure] = []
        let successor = broker.successor(failures: &failures)
        #expect(failures.map(\.code) == [.superseded])
        #expect(loaded(from: successor).bytes == [2] && successor.brokenInvariants().isEmpty)
    }

    @Test("Bytes that are added, handed over or loaded once are saved with the contents")
    func additions() throws {
        var once = Item([Representation("a", kept: true), Representation("b"), Representation("c")])
        once.representations[2].policy = .onceAndKept
        once.requires = [Feature.onceAndKept.rawValue]
        broker.write([once], kept: [[1]], from: writer)
        let handle = try #require(broker.take(writer).first(Committed.self)?.handle)
        broker.write(
            [Item([Representation("b", kept: true)]), Item([Representation("d", kept: true)])],
            kept: [[2], [4]],
            adding: handle,
            keepsPromises: true,
            from: writer
        )
        #expect(broker.take(writer).codes.isEmpty)
        let peer = broker.connect(process: 8)
        broker.load(from: peer) { $0.accepts = [Accept("c")] }
        let ask = try #require(broker.takeAsks(writer).first)
        broker.send(Answer(byteCount: 1), on: ask, from: writer)
        broker.data([3], last: true, on: ask, from: writer)
        let successor = broker.successor()
        #expect(["a", "b", "c"].map { loaded($0, from: successor).bytes } == [[1], [2], [3]])
        let other = successor.connect(process: 9)
        let load = successor.load(from: other) { $0.item = 1 }
        #expect(successor.take(other).on(load).bytes == [4])
    }

    // MARK: Reclaims

    private func reclaim(_ items: [Item], at successor: StateHarness, kept: [UInt8]? = nil) -> [Frame] {
        let writer = successor.connect("writer", process: 7)
        let stream = successor.begin(reclaiming: 5_001, of: 77, from: writer)
        for item in items { successor.send(item, on: stream, from: writer) }
        if let kept { successor.data(kept, last: true, on: stream, from: writer) }
        successor.commit(items.count, on: stream, from: writer)
        return successor.take(writer).on(stream)
    }

    @Test("A writer that reclaims its contents gives its promises back, and the kept bytes stay kept")
    func reclaimed() throws {
        broker.write([Item([Representation("a", kept: true), Representation("b")])], kept: [[1]], from: writer)
        let successor = broker.successor()
        let watcher = successor.connect(process: 9)
        let stream = successor.watch(since: 5_001, epoch: 77, from: watcher)
        let frames = reclaim([Item("a", "b")], at: successor)
        #expect(frames.kinds == [.committed] && frames.first(Committed.self)?.changeCount == 5_001)
        let item = try #require(successor.list(from: watcher).first(Item.self))
        #expect(item.representations.map(\.provision) == [.kept, .promised])
        // Nothing has changed for a watch that knows the contents.
        successor.advance(by: 3_000)
        #expect(successor.takeChanges(watcher, on: stream).isEmpty)
        #expect(loaded(from: successor).bytes == [1] && successor.openMemory == 1)
        // A second crash.
        let third = successor.successor()
        #expect(loaded(from: third).bytes == [1] && third.brokenInvariants().isEmpty)
        #expect(successor.brokenInvariants().isEmpty)
    }

    @Test("A return of promises is a change for a watch that began before it, and after a loss that was reported")
    func returned() throws {
        broker.write([Item([Representation("a", kept: true), Representation("b")])], kept: [[1]], from: writer)
        let total = try #require(broker.saved.first?.value.contents.totalChangeCount)
        let successor = broker.successor()
        let (watcher, source) = (successor.connect(process: 9), successor.connect("writer", process: 7))
        let streams = [
            successor.watch(from: watcher), successor.watch(since: 5_001, epoch: 77, from: watcher),
            successor.watchAll(from: watcher), successor.watchAll(since: total, epoch: 77, from: watcher),
        ]
        func versions() -> [[UInt64?]] {
            successor.advance(by: 100)
            let frames = successor.take(watcher)
            return streams.map { frames.on($0).all(Change.self).map(\.version) }
        }
        func reclaim(from source: PeerID) {
            let stream = successor.begin(reclaiming: 5_001, of: 77, from: source)
            successor.send(Item("a", "b"), on: stream, from: source)
            successor.commit(1, on: stream, from: source)
            #expect(successor.take(source).on(stream).kinds == [.committed])
        }
        reclaim(from: source)
        #expect(versions() == [[1], [], [1], []])
        successor.disconnect(source)
        #expect(versions() == [[2], [2], [2], [2]])
        reclaim(from: successor.connect("writer", process: 7))
        #expect(versions() == [[3], [3], [3], [3]] && successor.brokenInvariants().isEmpty)
    }

    @Test("A return of promises is a change for a watch that this broker told of the contents without them")
    func toldBefore() throws {
        broker.write([Item([Representation("a", kept: true), Representation("b")])], kept: [[1]], from: writer)
        let successor = broker.successor()
        let (watcher, source) = (successor.connect(process: 9), successor.connect("writer", process: 7))
        // It knows earlier contents.
        let watch = successor.watch(since: 5_000, epoch: 77, from: watcher)
        successor.advance(by: 100)
        #expect(successor.take(watcher).on(watch).all(Change.self).count == 1)
        let stream = successor.begin(reclaiming: 5_001, of: 77, from: source)
        successor.send(Item("a", "b"), on: stream, from: source)
        successor.commit(1, on: stream, from: source)
        successor.advance(by: 100)
        #expect(successor.take(watcher).on(watch).all(Change.self).map(\.version) == [1])
    }

    @Test("Bytes that a reclaim sends for a lost promise are kept, and others take the place of the contents")
    func sentAgain() {
        broker.write([Item([Representation("a", kept: true), Representation("b")])], kept: [[1]], from: writer)
        let more = broker.successor()
        let other = Item([Representation("a"), Representation("b", kept: true)])
        #expect(reclaim([other], at: more, kept: [2]).kinds == [.committed])
        #expect(loaded("a", from: more).bytes == [1] && loaded("b", from: more).bytes == [2])
        let again = broker.successor()
        let item = Item([Representation("a", kept: true), Representation("b")])
        #expect(reclaim([item], at: again, kept: [3]).kinds == [.committed] && again.openMemory == 1)
        #expect(loaded("a", from: again).bytes == [3])
        #expect(again.brokenInvariants().isEmpty && more.brokenInvariants().isEmpty)
    }

    @Test("A reclaim of other items, or of a later count than was saved, replaces what was restored")
    func others() {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        let successor = broker.successor()
        #expect(reclaim([Item("x")], at: successor).kinds == [.committed])
        #expect(successor.openMemory == 0 && successor.brokenInvariants().isEmpty)
        let late = broker.successor()
        let writer = late.connect("writer", process: 7)
        let stream = late.begin(reclaiming: 5_002, of: 77, from: writer)
        late.send(Item("x"), on: stream, from: writer)
        late.commit(1, on: stream, from: writer)
        #expect(late.take(writer).on(stream).first(Committed.self)?.changeCount == 5_002)
        #expect(late.openMemory == 0 && late.brokenInvariants().isEmpty)
    }

    @Test("A reclaim with other terms or other details replaces what was restored", arguments: 0..<4)
    func otherTerms(number: Int) {
        let item = Item([Representation("a", kept: true), Representation("b")], name: "n")
        broker.write([item], kept: [[1]], from: writer)
        let successor = broker.successor()
        let writer = successor.connect("writer", process: 7)
        var again = Item([Representation("a"), Representation("b", kept: number == 0)], name: "n")
        if number == 2 { again.suggestedName = "other" }
        if number == 3 { again.representations[1].supertypes = ["s"] }
        let terms = [ContentTerms(concealed: true), ContentTerms(loads: 1)]
        let stream = successor.begin(
            terms: number < 2 ? terms[number] : nil,
            reclaiming: 5_001,
            of: 77,
            from: writer
        )
        successor.send(again, on: stream, from: writer)
        if number == 0 { successor.data([2], last: true, on: stream, from: writer) }
        successor.commit(1, on: stream, from: writer)
        #expect(successor.take(writer).on(stream).kinds == [.committed])
        #expect(successor.openMemory == (number == 0 ? 1 : 0) && successor.saved.isEmpty)
        #expect(successor.brokenInvariants().isEmpty)
    }

    @Test(
        "Saved contents that no peer could have written are not restored",
        .tags(.f103),
        arguments: ["label", "group", "name", "types", "item", "board"]
    )
    func impossible(part: String) throws {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        let (id, entry) = try #require(broker.saved.first)
        var contents = entry.contents
        let long = String(repeating: "x", count: 300_000)
        switch part {
        case "label": contents.ownerLabel = long
        case "group": contents.ownerGroups = [""]
        case "name": contents.items[0].suggestedName = long
        case "types": contents.items[0].representations[0].type = "no type"
        case "board": contents.board = long
        default:
            contents.items[0].representations += (0..<60).map {
                Representation("b\($0)", supertypes: (0..<10).map { "c\($0)" + long.prefix(200) })
            }
        }
        broker.keepSaved(id, SavedEntry(contents: contents, bytes: entry.bytes, number: entry.number))
        var failures: [Failure] = []
        let successor = broker.successor(failures: &failures)
        #expect(failures.map(\.code) == [.invalidArgument])
        #expect(successor.openMemory == 0 && successor.brokenInvariants().isEmpty)
    }

    @Test("A process that writes and clears many pasteboards does not keep promises of others from coming back")
    func forgotten() {
        broker.promise("a", board: "mine", from: writer)
        broker.promise("a", board: "changed", from: writer)
        let successor = broker.successor()
        let other = successor.connect(process: 8)
        successor.promise("z", board: "changed", from: other)
        successor.clear("changed", from: other)
        for number in 0..<500 {
            successor.promise("z", board: "board \(number)", from: other)
            successor.clear("board \(number)", from: other)
        }
        _ = successor.take(other)
        func reclaim(_ board: String, count: UInt64) -> [Frame] {
            let again = successor.connect(process: 7)
            let stream = successor.begin(board: board, reclaiming: count, of: 77, from: again)
            successor.send(Item("a"), on: stream, from: again)
            successor.commit(1, on: stream, from: again)
            return successor.take(again).on(stream)
        }
        #expect(reclaim("mine", count: 5_001).kinds == [.committed])
        #expect(reclaim("changed", count: 5_002).codes == [.superseded])
        #expect(successor.brokenInvariants().isEmpty)
    }

    @Test("A write between the crash and the reclaim wins")
    func overtaken() {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        let successor = broker.successor()
        let other = successor.connect(process: 8)
        #expect(successor.promise("z", from: other).changeCount == 9_001)
        #expect(reclaim([Item("a")], at: successor).codes == [.superseded])
        #expect(successor.brokenInvariants().isEmpty)
    }

    @Test("Contents of a writer that has ended are evicted after a restart as before it")
    func evicted() {
        let broker = StateHarness { $0.keptRepresentations = 4 }
        broker.setSaving(true)
        let writer = broker.connect(process: 7)
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], board: "x", from: writer)
        let successor = broker.successor()
        #expect(successor.held.accounts == 1)
        let again = successor.connect(process: 7)
        successor.disconnect(again)
        successor.clear("x", from: successor.connect(process: 9))
        #expect(successor.openMemory == 0 && successor.saved.isEmpty && successor.brokenInvariants().isEmpty)
    }
}

extension CreateBoard {
    fileprivate static var required: CreateBoard {
        var message = CreateBoard()
        message.requires = [Feature.boards.rawValue]
        return message
    }
}
