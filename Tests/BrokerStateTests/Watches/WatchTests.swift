import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Watches of boards: the rules Y10 to Y14.
@Suite(.pure) struct WatchTests {
    private let broker = StateHarness(firstChangeCount: 900)
    private let writer: PeerID
    private let watcher: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        watcher = broker.connect("watcher", process: 8)
    }

    @Test("A change of a board that was cleared names the program that did it")
    func clearer() {
        let stream = broker.watch("x", from: watcher)
        for (clearer, process, label) in [(writer, 7, "writer"), (watcher, 8, "watcher")] as [(PeerID, UInt32, String)]
        {
            broker.promise("a", board: "x", from: writer)
            broker.advance(by: 100)
            broker.clear("x", from: clearer)
            broker.advance(by: 100)
            let changes = broker.takeChanges(watcher, on: stream)
            #expect(changes.map(\.clearerProcess) == [nil, process] && changes.map(\.clearerLabel) == [nil, label])
        }
        // A clear of a board that does not exist changes nothing. The change is still waiting when it comes.
        broker.promise("a", board: "x", from: writer)
        _ = broker.takeChanges(watcher, on: stream)
        broker.remove("x", from: writer)
        broker.clear("x", from: watcher)
        broker.advance(by: 100)
        #expect(broker.takeChanges(watcher, on: stream).map(\.clearerProcess) == [7])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test(
        "The first change follows at once, unless the client knows the change count of this broker",
        arguments: [
            (nil, nil, false, nil), (903, nil, false, nil), (903, 77, false, nil), (903, 76, true, nil),
            (900, nil, true, 2), (900, 77, true, 2), (900, 76, true, nil), (902, nil, true, 0), (950, 77, true, 0),
        ] as [(UInt64?, UInt64?, Bool, UInt64?)]
    )
    func since(_ since: UInt64?, _ epoch: UInt64?, _ isReported: Bool, _ missed: UInt64?) {
        for _ in 0..<3 { broker.promise("a", from: writer) }
        let stream = broker.watch(since: since, epoch: epoch, from: watcher)
        let frames = broker.take(watcher).on(stream)
        #expect(frames.kinds == (isReported ? [.registered, .change] : [.registered]))
        #expect(frames.all(Change.self).map(\.missed) == (isReported ? [missed] : []))
        // From the first change on, the client knows a change count of this broker.
        broker.advance(by: 100)
        broker.promise("a", from: writer)
        #expect(broker.takeChanges(watcher, on: stream).map(\.missed) == [0])
    }

    @Test("The first change after a quiet time is reported at once, later ones after 100 ms, together")
    func rounds() {
        let stream = broker.watch(from: watcher)
        broker.promise("a", from: writer)
        #expect(broker.takeChanges(watcher, on: stream).map(\.changeCount) == [901])
        for _ in 0..<3 { broker.promise("b", from: writer) }
        broker.advance(by: 99)
        #expect(broker.takeChanges(watcher, on: stream).isEmpty)
        broker.advance(by: 1)
        let changes = broker.takeChanges(watcher, on: stream)
        #expect(changes.map(\.changeCount) == [904] && changes.map(\.missed) == [2])
        #expect(changes.map(\.types) == [["b"]])
        broker.advance(by: 100)
        broker.clear(from: writer)
        #expect(broker.takeChanges(watcher, on: stream).map(\.changeCount) == [905])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("The rounds of one board do not delay those of another")
    func independent() {
        let streams = ["x", "y"].map { broker.watch($0, from: watcher) }
        broker.promise("a", board: "x", from: writer)
        broker.advance(by: 50)
        broker.promise("a", board: "y", from: writer)
        let frames = broker.take(watcher)
        #expect(streams.map { frames.on($0).all(Change.self).count } == [1, 1])
    }

    @Test("A client that grants credit for each change is not sent more of them")
    func eagerCredit() {
        let stream = broker.watch(credit: 1, from: watcher)
        var granted: UInt64 = 1
        var count = 0
        for _ in 0..<100 {
            broker.promise("a", from: writer)
            broker.advance(by: 10)
            let changes = broker.takeChanges(watcher, on: stream)
            count += changes.count
            for _ in changes {
                granted += 1
                broker.credit(granted, on: stream, from: watcher)
            }
        }
        #expect((8...11).contains(count))
    }

    // MARK: Visibility

    @Test("Each watch shows what its peer may see")
    func visibility() {
        let member = broker.connect(process: 9, groups: ["g"])
        let author = broker.connect("author", process: 10, groups: ["g"])
        let own = broker.connect(process: 10)
        let link = broker.connect(process: 11, role: .link)
        let peers = [watcher, member, own, link]
        let streams = peers.map { broker.watch(from: $0) }
        for peer in peers { _ = broker.take(peer) }
        let items = [
            Item([Representation("all"), Representation("team", visibility: .team)]),
            Item([Representation("all"), Representation("group", visibility: .group)]),
            Item([Representation("own", visibility: .ownProcess)]),
        ]
        broker.write(items, from: author)
        let changes = zip(peers, streams).map { broker.takeChanges($0, on: $1).first ?? Change() }
        #expect(
            changes.map(\.types) == [
                ["all", "team"], ["all", "team", "group"], ["all", "team", "group", "own"], ["all"],
            ]
        )
        #expect(changes.map(\.itemCount) == [2, 2, 3, 2])
        for (peer, change) in zip(peers, changes) {
            let contents = broker.list(from: peer).first(Contents.self)
            #expect(contents?.itemCount == change.itemCount && contents?.handle == change.handle)
        }
    }

    @Test("For a peer that sees no item the board is empty, but its change count is reported")
    func invisible() {
        let stream = broker.watch(from: watcher)
        broker.write([Item([Representation("own", visibility: .ownProcess)])], from: writer)
        let changes = broker.takeChanges(watcher, on: stream)
        #expect(changes.map(\.changeCount) == [901])
        #expect(changes.map(\.handle) == [nil] && changes.map(\.itemCount) == [nil])
        #expect(changes.map(\.ownerLabel) == [nil] && changes.map(\.ownerProcess) == [nil] && changes[0].types.isEmpty)
    }

    @Test("A change has the types of all items, each once, at most 64")
    func types() {
        let stream = broker.watch(from: watcher)
        let items = (0..<10).map { item in Item((0..<10).map { Representation("t\(item * 8 + $0)") }) }
        broker.write(items, from: writer)
        let types = broker.takeChanges(watcher, on: stream).first?.types ?? []
        #expect(types == (0..<64).map { "t\($0)" })
    }

    @Test("Promises that are lost with their source are reported with the same change count", arguments: [true, false])
    func lostPromises(isWithdrawn: Bool) {
        let stream = broker.watch(from: watcher)
        let write = broker.write([Item("a")], from: writer)
        #expect(broker.takeChanges(watcher, on: stream).map(\.version) == [0])
        if isWithdrawn { broker.send(Cancel(), on: write, from: writer) } else { broker.disconnect(writer) }
        broker.advance(by: 100)
        let changes = broker.takeChanges(watcher, on: stream)
        #expect(changes.map(\.changeCount) == [901] && changes.map(\.version) == [1] && changes.map(\.missed) == [0])
        #expect(changes.map(\.types) == [["a"]] && broker.brokenInvariants().isEmpty)
    }

    @Test("Promises that a peer does not see are lost without a report to it")
    func lostInvisiblePromises() {
        let stream = broker.watch(credit: 2, from: watcher)
        let item = Item([Representation("a", visibility: .ownProcess)])
        let write = broker.write([item], from: writer)
        #expect(broker.takeChanges(watcher, on: stream).count == 1)
        broker.send(Cancel(), on: write, from: writer)
        broker.advance(by: 100)
        #expect(broker.take(watcher).isEmpty && broker.brokenInvariants().isEmpty)
        broker.clear(from: self.broker.connect())
        broker.advance(by: 100)
        #expect(broker.takeChanges(watcher, on: stream).map(\.changeCount) == [902])
    }

    @Test("A change shows the terms of the contents, and for a link a board with concealed contents is empty")
    func terms() {
        let link = broker.connect(process: 11, role: .link)
        let streams = [watcher, link].map { broker.watch(from: $0) }
        var write = Write()
        write.terms = ContentTerms()
        write.terms?.isConcealed = true
        write.terms?.expiresMilliseconds = 5_000
        write.requires = [Feature.terms.rawValue]
        let stream = broker.newStream(of: writer)
        broker.send(write, on: stream, from: writer)
        broker.send(Item("a"), on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        let seen = broker.takeChanges(watcher, on: streams[0])
        #expect(seen.map(\.terms?.isConcealed) == [true] && seen.map(\.terms?.expiresMilliseconds) == [5_000])
        let hidden = broker.takeChanges(link, on: streams[1])
        #expect(hidden.map(\.changeCount) == [901] && hidden.map(\.handle) == [nil] && hidden.map(\.terms) == [nil])
        #expect(hidden.map(\.types) == [[]])
        broker.advance(by: 5_100)
        for (peer, stream) in zip([watcher, link], streams) {
            #expect(broker.takeChanges(peer, on: stream).map(\.changeCount) == [902])
        }
    }

    // MARK: Reading

    @Test(
        "A peer that does not read is sent nothing more, whatever its credit, and the last state when it reads",
        .tags(.f28)
    )
    func unread() {
        broker.readsChanges = false
        let streams = (0..<200).map { _ in broker.watch(from: watcher) }
        _ = broker.take(watcher)
        for _ in 0..<50 {
            broker.promise("a", from: writer)
            broker.advance(by: 100)
        }
        #expect(broker.take(watcher).isEmpty)
        broker.continueChanges(for: watcher, pieces: 1)
        let piece = broker.take(watcher)
        #expect((1..<200).contains(piece.count))
        broker.continueChanges(for: watcher)
        let frames = piece + broker.take(watcher)
        #expect(streams.allSatisfy { frames.on($0).all(Change.self).map(\.changeCount) == [950] })
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("The watches of a peer that reads slowly take turns")
    func turns() {
        broker.readsChanges = false
        for _ in 0..<1_000 { _ = broker.watch(from: watcher) }
        _ = broker.take(watcher)
        let pieces = (0..<2).map { _ in
            broker.promise("a", from: writer)
            broker.advance(by: 100)
            broker.continueChanges(for: watcher, pieces: 1)
            return Set(broker.take(watcher).map(\.stream))
        }
        #expect(!pieces[0].isEmpty && pieces[0].isDisjoint(with: pieces[1]))
    }

    @Test("A peer to which nothing can be sent is sent no changes")
    func deaf() {
        _ = broker.watch(from: watcher)
        _ = broker.take(watcher)
        broker.stopReading(watcher)
        broker.promise("a", from: writer)
        #expect(broker.take(watcher).isEmpty)
        broker.disconnect(watcher)
        #expect(broker.held.watches == 0 && broker.brokenInvariants().isEmpty)
    }

    // MARK: Ends and limits

    @Test(
        "A watch ends with its cancel or its connection, and nothing is held for it",
        .tags(.f28),
        arguments: [true, false]
    )
    func ends(isCancelled: Bool) {
        let held = broker.held
        let streams = ["x", "x", "y"].map { broker.watch($0, credit: 0, from: watcher) }
        broker.promise("a", board: "x", from: writer)
        if isCancelled {
            for stream in streams {
                broker.send(Cancel(), on: stream, from: watcher)
                #expect(broker.brokenInvariants().isEmpty)
            }
            _ = broker.take(watcher)
            broker.promise("a", board: "x", from: writer)
            broker.advance(by: 200)
            #expect(broker.take(watcher).isEmpty)
            broker.clear("x", from: writer)
            #expect(broker.held == held)
        } else {
            broker.disconnect(watcher)
            #expect(broker.held.watches == 0)
        }
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A watch that ends in the middle of a round does not disturb it")
    func endsInRound() {
        broker.readsChanges = false
        let others = (0..<5).map { _ in broker.connect() }
        let streams = others.map { broker.watch(from: $0) }
        for peer in others { _ = broker.take(peer) }
        broker.promise("a", from: writer)
        broker.send(Cancel(), on: streams[0], from: others[0])
        broker.disconnect(others[2])
        for peer in others { broker.continueChanges(for: peer) }
        #expect([0, 1, 3, 4].map { broker.take(others[$0]).count } == [0, 1, 1, 1])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A change during a round is reported by visited watches, even if only one of them is left")
    func changeDuringRound() {
        let peers = [watcher, broker.connect(), broker.connect()]
        // One piece of a round visits all watches except the first one.
        let streams = ([0] + [Int](repeating: 1, count: 998) + [2]).map { broker.watch(from: peers[$0]) }
        broker.input { state in
            _ = state.set(BoardName.general, to: nil, reason: .cleared)
            state.continueRounds()
            _ = state.continueChanges(for: peers[2])
            state.disconnected(peers[1])
            _ = state.set(BoardName.general, to: nil, reason: .cleared)
        }
        #expect(broker.takeChanges(peers[2], on: streams[999]).map(\.changeCount) == [901])
        broker.advance(by: 100)
        #expect(broker.takeChanges(peers[2], on: streams[999]).map(\.changeCount) == [902])
        #expect(broker.takeChanges(peers[0], on: streams[0]).map(\.changeCount) == [902])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("The name of a watched board is charged to each watch")
    func metadata() {
        let before = broker.held.metadata
        for _ in 0..<2 { _ = broker.watch("name", from: watcher) }
        #expect(broker.held.metadata == before + 8)
    }

    @Test("One program may have only so many watches, and the error names the limit")
    func limit() {
        let broker = StateHarness { $0.watchesPerProcess = 2 }
        let peer = broker.connect()
        for _ in 0..<2 { _ = broker.watch(from: peer) }
        _ = broker.take(peer)
        let refused = broker.watch(from: peer)
        let failure = broker.take(peer).on(refused).first(Failure.self)
        #expect(failure?.code == .limitExceeded && failure?.text.contains("watches-per-process is 2") == true)
        #expect(broker.held.watches == 2 && broker.brokenInvariants().isEmpty)
    }

    @Test("The status counts the watches")
    func status() {
        for _ in 0..<3 { _ = broker.watch(from: watcher) }
        let counters = broker.status(from: writer).compactMap(\.counter)
        #expect(counters.first { $0.name == "watches" }?.value == 3)
    }

    @Test("The change count of a watched board does not grow because other boards are forgotten")
    func remembered() {
        let streams = ["never", "cleared"].map { broker.watch($0, from: watcher) }
        broker.promise("a", board: "cleared", from: writer)
        broker.clear("cleared", from: writer)
        broker.advance(by: 100)
        _ = broker.take(watcher)
        for number in 0..<100 {
            broker.promise("a", board: "\(number)", from: writer)
            broker.clear("\(number)", from: writer)
        }
        #expect(broker.changeCount(of: "other", for: writer) > 900)
        #expect(broker.changeCount(of: "never", for: writer) == 900)
        #expect(broker.changeCount(of: "cleared", for: writer) == 902)
        broker.promise("a", board: "never", from: writer)
        #expect(broker.takeChanges(watcher, on: streams[0]).map(\.missed) == [0])
        for stream in streams { broker.send(Cancel(), on: stream, from: watcher) }
        broker.clear("never", from: writer)
        #expect(broker.changeCount(of: "never", for: writer) >= 902)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("Watched boards take no places of boards with contents")
    func boardLimit() {
        let broker = StateHarness { $0.boards = 1 }
        let (writer, watcher) = (broker.connect(), broker.connect())
        for name in ["x", "y", "z"] { _ = broker.watch(name, from: watcher) }
        broker.promise("a", board: "y", from: writer)
        #expect(broker.brokenInvariants().isEmpty)
        broker.write([Item("a")], board: "z", from: writer)
        #expect(broker.take(writer).codes == [.limitExceeded])
        broker.clear("y", from: writer)
        broker.disconnect(watcher)
        #expect(broker.brokenInvariants().isEmpty)
    }
}
