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
            case .write(let write, let items, _):
                "\(write.handle.map { "add to \($0)" } ?? "write") "
                    + items.map { $0.representations.map(\.type).joined(separator: "+") }.joined(separator: ",")
            case .clear(let clear): "clear \(clear.origin?.path ?? [])"
            case .withdraw: "withdraw"
            }
        }.joined(separator: "; ")
    }

    /// The source of the write or addition, in words: the indexes and types of its items.
    private func source(_ steps: [LinkedBoard.Step]) -> String {
        for case .write(_, _, let source) in steps {
            return source.items.map { "\($0.index):\($0.types.joined(separator: "+"))" }.joined(separator: ",")
        }
        return ""
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
        #expect(names(board.answered(committed(20))) == "" && board.isShown)
        return board
    }

    @Test("Contents are written once, with their origin and terms")
    func writing() throws {
        var board = board()
        var terms = ContentTerms()
        terms.expiresMilliseconds = 9
        let steps = board.listed(listing(10, origin(7, Self.here), [["a", "b"], ["c"]], terms))
        guard case .write(let write, let items, let source) = try #require(steps.first) else {
            return #expect(Bool(false))
        }
        #expect(write.board == "board" && write.terms == terms && write.origin == origin(7, Self.here))
        #expect(write.requires == [Feature.links.rawValue, Feature.terms.rawValue])
        #expect(names(steps) == "write a+b,c" && items[0].representations.allSatisfy { $0.provision == .promised })
        #expect(source.handle == 10)
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(7, Self.here), [["a", "b"], ["c"]], terms))) == "")
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
            guard case .write(_, let items, _) = try #require(board.listed(listing).first) else {
                return #expect(Bool(false))
            }
            #expect(items[0].representations.map(\.type) == ["kept", "once", "each"])
            let isOnce = items[0].representations.map { $0.policy == .onceAndKept }
            #expect(isOnce == (terms == nil ? [false, true, false] : [false, false, false]))
            #expect(items[0].requires == (terms == nil ? [Feature.onceAndKept.rawValue] : []))
        }
    }

    @Test("An addition adds only what is new, after what is there")
    func additions() {
        var board = shown()
        let steps = board.listed(listing(10, origin(Self.here), [["b", "a"], ["c"]]))
        #expect(names(steps) == "add to 20 b,c" && source(steps) == "0:a+b,1:c")
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(Self.here), [["b", "a"], ["c"]]))) == "")
    }

    @Test("Contents of which promises were lost are written anew, and those of which all were lost are withdrawn")
    func lostPromises() {
        var board = board()
        _ = board.listed(listing(10, origin(Self.here), [["a", "b"]]))
        _ = board.answered(committed(20))
        #expect(names(board.listed(listing(10, origin(Self.here), [["b"]]))) == "withdraw; write b")
        _ = board.answered(committed(21))
        #expect(names(board.listed(listing(10, origin(Self.here), [[]]))) == "withdraw")
    }

    @Test("When a write is refused, the contents before are withdrawn; when an addition is refused, they stay")
    func refused() {
        var board = shown()
        #expect(names(board.listed(listing(11, origin(Self.here), [["c"]]))) == "write c")
        #expect(names(board.answered(nil)) == "withdraw" && !board.isShown)
        board = shown()
        _ = board.listed(listing(10, origin(Self.here), [["a", "b"]]))
        #expect(names(board.answered(nil)) == "" && board.isShown)
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
            #expect(names(fresh.listed(listing)) == "")
            #expect(names(shown.listed(listing)) == "withdraw" && !shown.isShown)
        }
    }

    @Test("A clear crosses unless it has come from the destination; other losses withdraw")
    func empty() {
        var board = shown()
        #expect(names(board.listed(listing(nil, origin(Self.here)))) == "clear [1]" && board.isShown)
        board.ended(19)
        #expect(board.isShown)
        board.ended(20)
        #expect(!board.isShown)
        board = shown()
        #expect(names(board.listed(listing(nil, origin(Self.there, Self.here)))) == "withdraw")
        #expect(names(board.listed(listing(nil, nil))) == "")
    }

    @Test("An item of which every promise was lost is left out, and the others keep their index at the source")
    func lostItem() {
        var board = board()
        let first = board.listed(listing(10, origin(Self.here), [["a"], [], ["c"]]))
        #expect(names(first) == "write a,c" && source(first) == "0:a,2:c")
        _ = board.answered(committed(20))
        let steps = board.listed(listing(10, origin(Self.here), [["a"], ["b"], ["c"]]))
        #expect(names(steps) == "withdraw; write a,b,c")
    }
}
