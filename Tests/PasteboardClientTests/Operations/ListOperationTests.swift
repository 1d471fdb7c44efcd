import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

/// Lists of a board at a broker that may follow another one.
@Suite(.pure) struct ListOperationTests {
    private static func contents(_ handle: UInt64?) -> ClientEvent {
        var contents = Contents()
        contents.handle = handle
        return .contents(1, contents)
    }

    private static func listed(_ step: ListOperation.Step?) -> BoardListing? {
        guard case .listed(let listing) = step else { return nil }
        return listing
    }

    private static func isOpening(_ step: ListOperation.Step?) -> Bool {
        guard case .open = step else { return false }
        return true
    }

    @Test("A board that has contents, or that no contents can come back to, is listed once", arguments: [true, false])
    func once(settles: Bool) {
        var list = ListOperation("notes", settles: settles)
        #expect(list.handle(Self.contents(settles ? 1 : nil)) == nil)
        #expect(list.handle(.item(1, Item())) == nil)
        #expect(Self.listed(list.handle(.ended(1, End())))?.items.count == 1)
    }

    @Test(
        "An empty board of a broker that follows another one is listed again after its first change, and only once",
        .tags(.f82)
    )
    func settling() throws {
        var state = ClientState()
        var list = ListOperation("notes", settles: true)
        let first = try list.open(&state)
        #expect(list.handle(Self.contents(nil)) == nil)
        #expect(Self.isOpening(list.handle(.ended(1, End()))))
        let watch = try list.open(&state)
        #expect(watch > first)
        #expect(list.handle(.registered(watch, Registered())) == nil)
        #expect(Self.isOpening(list.handle(.changed(watch, Change()))))
        _ = try list.open(&state)
        #expect(list.handle(Self.contents(nil)) == nil)
        #expect(Self.listed(list.handle(.ended(5, End())))?.contents.handle == nil)
    }

    @Test("A process that has as many watches as it may have gets the empty board; other failures are its own")
    func refused() {
        var list = ListOperation("notes", settles: true)
        #expect(list.failed(.limitExceeded) == nil)
        _ = list.handle(.ended(1, End()))
        #expect(list.failed(.brokerRestarted) == nil)
        #expect(Self.listed(list.failed(.limitExceeded)) != nil)
    }
}
