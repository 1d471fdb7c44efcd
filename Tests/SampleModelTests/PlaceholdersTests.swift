import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TestSupport
import Testing

/// The packaging, the rules and the changes of `placeholders`.
@Suite(.inProcess)
struct PlaceholdersTests {
    @Test(
        "A parcel's description is read back as the same parcel",
        arguments: [
            ("letter", Parcel(.plain, "letter")), ("slow crate", Parcel(.slow, "crate")),
            ("failing old vase", Parcel(.failing, "old vase")), ("slow", Parcel(.plain, "slow")),
            ("big box", Parcel(.plain, "big box")),
        ]
    )
    func text(text: String, parcel: Parcel) {
        #expect(Parcel(text) == parcel && parcel.description == text)
    }

    @Test("A parcel's bytes are made at the load, and only a plain parcel is handed over within the process")
    @MainActor func package() async throws {
        let packaging = ParcelPackaging { parcel, _ in
            guard parcel.kind != .failing else { throw PasteboardError(.refused, message: "broken") }
            return Data(parcel.name.utf8)
        }
        let plain = try #require(packaging.items(for: Parcel(.plain, "letter")).first)
        #expect(plain.localObject as? Parcel == Parcel(.plain, "letter"))
        #expect(try await plain.itemProvider.load(String.self) == "letter")
        let failing = try #require(packaging.items(for: Parcel(.failing, "vase")).first)
        #expect(failing.localObject == nil)
        await #expect(throws: (any Error).self) { try await failing.itemProvider.load(String.self) }
    }

    @Test("A row of the table moves, a local object is handed over, and all else is loaded (S58, S61)")
    func arrival() {
        let (path, parcel) = (IndexPath(row: 1, section: 0), Parcel(.plain, "letter"))
        #expect(ParcelAcceptance.arrival(source: path, local: parcel, isOwn: true) == .row(path))
        #expect(ParcelAcceptance.arrival(source: nil, local: parcel, isOwn: false) == .local(parcel))
        #expect(ParcelAcceptance.arrival(source: nil, local: "something else", isOwn: false) == .bytes)
        #expect(ParcelAcceptance.arrival(source: nil, local: nil, isOwn: false) == .bytes)
    }

    @Test(
        "A row of the table whose index is no longer known stays where it is",
        arguments: [Parcel(.plain, "letter"), nil]
    )
    func lost(parcel: Parcel?) {
        #expect(ParcelAcceptance.arrival(source: nil, local: parcel, isOwn: true) == .never)
    }

    @Test("The table's own rows are rearranged, and all others are copied, whatever their number")
    func acceptance() {
        #expect(ParcelAcceptance.proposal(hasActiveDrag: true).operation == .move)
        #expect(ParcelAcceptance.proposal(hasActiveDrag: false).operation == .copy)
        #expect(ParcelAcceptance.canHandle(TestDrop(.png, .utf8PlainText)))
        #expect(!ParcelAcceptance.canHandle(TestDrop(.png)))
    }

    @Test(
        "Moved rows keep their order before the row at which they were dropped",
        arguments: [
            ([0], 3, "bcad"), ([3], 0, "dabc"), ([0, 1], 4, "cdab"), ([1, 3], 0, "bdac"), ([3, 0], 2, "bdac"),
            ([1], 1, "abcd"), ([1], 2, "abcd"), ([0, 9], 4, "bcda"), ([], 2, "abcd"), ([2], 9, "abdc"),
        ]
    )
    func move(rows: [Int], destination: Int, result: String) {
        var shelf = ParcelShelf("abcd".map { Parcel(.plain, String($0)) })
        let before = shelf.parcels
        let moved = shelf.move(rows, before: destination)
        #expect(shelf.parcels.map(\.name).joined() == result)
        for (source, row) in moved { #expect(shelf.parcels[row] == before[source]) }
    }

    @Test("A parcel whose row was deleted before it arrives is inserted at the end")
    func late() {
        var shelf = ParcelShelf()
        let rows = [
            shelf.insert(Parcel("a"), at: 3), shelf.insert(Parcel("b"), at: 0), shelf.insert(Parcel("c"), at: -1),
        ]
        #expect(rows == [0, 0, 0] && shelf.parcels.map(\.name) == ["c", "b", "a"])
        #expect(shelf.remove(at: 3) == nil)
    }
}
