import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// The steps of one direction of a link after each event.
@Suite(.pure) struct LinkedBoardTests {
    private static let here: UInt64 = 1
    private static let there: UInt64 = 2

    private func board(permits: LinkedBoard.Permits = LinkedBoard.Permits()) -> LinkedBoard {
        var destination = Welcome()
        destination.epoch = Self.there
        return LinkedBoard("board", permits: permits, to: destination)
    }

    private func origin(_ path: UInt64...) -> Origin {
        var origin = Origin()
        (origin.path, origin.milliseconds) = (path, 5)
        return origin
    }

    private func listing(
        _ handle: UInt64?,
        _ origin: Origin?,
        _ types: [[String]] = [["a"]],
        _ terms: ContentTerms? = nil
    ) -> BoardListing {
        var listing = BoardListing()
        (listing.contents.handle, listing.contents.origin, listing.contents.terms) = (handle, origin, terms)
        listing.items = types.map { types in
            var item = Item()
            item.representations = types.map { type in
                var representation = Representation()
                representation.type = type
                return representation
            }
            return item
        }
        return listing
    }

    @Test("Data for the programs of one machine does not cross")
    func teamData() {
        var item = Item(suggestedName: nil)
        item.teamData = [1]
        #expect(item.promised(isKept: true).teamData == nil)
    }

    /// The names of steps, as far as tests compare them.
    private func names(_ steps: [LinkedBoard.Step]) -> String {
        steps.map { step in
            switch step {
            case .watch: "watch"
            case .list: "list"
            case .write(let write, let items):
                "\(write.handle.map { "add to \($0)" } ?? "write") "
                    + items.map { $0.representations.map(\.type).joined(separator: "+") }.joined(separator: ",")
            case .clear(let clear): "clear \(clear.origin?.path ?? [])"
            case .withdraw: "withdraw"
            }
        }.joined(separator: "; ")
    }

    /// The answer to a write.
    private func committed(_ handle: UInt64) -> Committed {
        var committed = Committed()
        committed.handle = handle
        return committed
    }

    /// A board whose contents 10 are at the destination as 20.
    private func shown() -> LinkedBoard {
        var board = board()
        #expect(names(board.listed(listing(10, origin(Self.here)))) == "write a")
        let answered = board.answered(committed(20))
        let source = LinkedBoard.Source(handle: 10, items: [0])
        #expect(names(answered.steps) == "watch" && board.isShown)
        #expect(answered.publication?.0 == 20 && answered.publication?.1 == source)
        return board
    }

    @Test("Contents are listed and written once, with their origin and terms")
    func writing() throws {
        var board = board()
        #expect(names(board.changed()) == "list")
        var terms = ContentTerms()
        terms.expiresMilliseconds = 9
        let steps = board.listed(listing(10, origin(7, Self.here), [["a", "b"], ["c"]], terms))
        guard case .write(let write, let items) = try #require(steps.first) else { return #expect(Bool(false)) }
        #expect(write.board == "board" && write.terms == terms && write.origin == origin(7, Self.here))
        #expect(write.requires == [Feature.links.rawValue, Feature.terms.rawValue])
        #expect(names(steps) == "write a+b,c" && items[0].representations.allSatisfy { $0.provision == .promised })
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(7, Self.here), [["a", "b"], ["c"]], terms))) == "watch")
    }

    @Test("What is made once is asked for once, unless it is secret or limited; what is gone is left out")
    func policies() throws {
        var permits = LinkedBoard.Permits()
        permits.concealed = true
        var secret = ContentTerms()
        secret.isConcealed = true
        var limited = ContentTerms()
        limited.maximumLoads = 3
        for terms in [nil, secret, limited] {
            var listing = listing(10, origin(Self.here), [["kept", "once", "each", "gone"]], terms)
            listing.items[0].representations[0].provision = .kept
            listing.items[0].representations[1].policy = .onceAndKept
            listing.items[0].representations[3].provision = .gone
            var board = board(permits: permits)
            guard case .write(_, let items) = try #require(board.listed(listing).first) else {
                return #expect(Bool(false))
            }
            #expect(items[0].representations.map(\.type) == ["kept", "once", "each"])
            let isOnce = items[0].representations.map { $0.policy == .onceAndKept }
            #expect(isOnce == (terms == nil ? [false, true, false] : [false, false, false]))
            #expect(items[0].requires == (terms == nil ? [Feature.onceAndKept.rawValue] : []))
        }
    }

    @Test("An addition adds only what is new")
    func additions() {
        var board = shown()
        let steps = board.listed(listing(10, origin(Self.here), [["a", "b"], ["c"]]))
        #expect(names(steps) == "add to 20 b,c")
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(Self.here), [["a", "b"], ["c"]]))) == "watch")
    }

    @Test("Contents of which promises were lost are written anew, and those of which all were lost are withdrawn")
    func lostPromises() {
        var board = board()
        _ = board.listed(listing(10, origin(Self.here), [["a", "b"]]))
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(Self.here), [["b"]]))) == "withdraw; write b")
        _ = board.answered(committed(21))
        #expect(names(board.listed(listing(10, origin(Self.here), [[]]))) == "withdraw; watch")
    }

    @Test("When a write is refused, the contents before are withdrawn; when an addition is refused, they stay")
    func refused() {
        var board = shown()
        #expect(names(board.listed(listing(11, origin(Self.here), [["c"]]))) == "write c")
        #expect(names(board.answered(nil).steps) == "withdraw; watch" && !board.isShown)
        board = shown()
        _ = board.listed(listing(10, origin(Self.here), [["a", "b"]]))
        #expect(names(board.answered(nil).steps) == "watch" && board.isShown)
    }

    @Test("Contents that must not cross are not written, and replace what has crossed")
    func excluded() {
        var (secret, transient) = (ContentTerms(), ContentTerms())
        (secret.isConcealed, transient.isTransient) = (true, true)
        let excluded = [
            listing(nil, nil), listing(11, nil), listing(11, origin(Self.there, Self.here)),
            listing(11, origin(Self.here), [["a"]], secret), listing(11, origin(Self.here), [["a"]], transient),
        ]
        for listing in excluded {
            var (fresh, shown) = (board(), shown())
            #expect(names(fresh.listed(listing)) == "watch")
            #expect(names(shown.listed(listing)) == "withdraw; watch" && !shown.isShown)
        }
    }

    @Test("A clear crosses unless it has come from the destination; other losses withdraw")
    func empty() {
        var board = shown()
        #expect(names(board.listed(listing(nil, origin(Self.here)))) == "clear [1]")
        let answered = board.answered(committed(0))
        #expect(names(answered.steps) == "watch" && answered.publication == nil)
        #expect(names(board.listed(listing(nil, origin(Self.there, Self.here)))) == "withdraw; watch")
        #expect(names(board.listed(listing(nil, nil))) == "watch")
    }

    @Test("While a request runs nothing else is requested; a change meanwhile is listed afterwards")
    func oneRequest() {
        var board = board()
        #expect(names(board.vacated()) == "list" && names(board.changed()) == "")
        #expect(names(board.listed(listing(10, origin(Self.here)))) == "write a")
        #expect(names(board.changed()) == "" && names(board.vacated()) == "")
        #expect(names(board.answered(committed(20)).steps) == "list")
        #expect(names(board.failed()) == "watch" && names(board.changed()) == "list")
    }

    @Test("An item of which every promise was lost is left out, and the others keep their index at the source")
    func lostItem() {
        var board = board()
        _ = board.changed()
        #expect(names(board.listed(listing(10, origin(Self.here), [["a"], [], ["c"]]))) == "write a,c")
        let source = LinkedBoard.Source(handle: 10, items: [0, 2])
        #expect(board.answered(committed(20)).publication?.1 == source)
        let steps = board.listed(listing(10, origin(Self.here), [["a"], ["b"], ["c"]]))
        #expect(names(steps) == "withdraw; write a,b,c")
    }

    @Test("A board that was vacated gets the contents of the source again, unless it has them or gets them")
    func vacated() {
        var board = board()
        #expect(names(board.vacated()) == "list")
        _ = board.listed(listing(10, origin(Self.here)))
        #expect(names(board.answered(nil).steps) == "watch" && !board.isShown)
        var shown = shown()
        #expect(names(shown.vacated()) == "")
        shown.ended(19)
        #expect(shown.isShown)
        shown.ended(20)
        #expect(names(shown.vacated()) == "list")
    }
}
