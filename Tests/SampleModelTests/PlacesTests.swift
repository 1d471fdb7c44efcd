import FoundationEssentials
import SampleModels
import Synchronization
import TableDragAndDrop
import TestSupport
import Testing

/// The packaging, the rules and the changes of `places`.
@Suite(.inProcess)
struct PlacesTests {
    // MARK: Packaging (S8-S10, S15, S16)

    @Test("A row is one item with one type, and its bytes are those of the name, whatever characters it has")
    func package() async throws {
        let places = PlaceNames(["Ōsaka 大阪 🏯"])
        let items = PlacePackaging().items(forRow: 0, of: places)
        let provider = try #require(items.first?.itemProvider)
        #expect(items.count == 1 && provider.registeredTypeIdentifiers == ["public.plain-text"])
        #expect(try await provider.loadData(for: .plainText) == Data("Ōsaka 大阪 🏯".utf8))
        #expect(PlacePackaging().items(forRow: 1, of: places).isEmpty)
    }

    @Test("The name is the one at the beginning of the drag, and it is not requested before a load")
    func value() async throws {
        let asked = Mutex([String]())
        var places = PlaceNames(["Yosemite"])
        let packaging = PlacePackaging { name in asked.withLock { $0.append(name) } }
        let items = packaging.items(forRow: 0, of: places)
        _ = places.remove(at: 0)
        #expect(asked.withLock { $0 }.isEmpty)
        #expect(try await items[0].itemProvider.load(String.self) == "Yosemite")
        #expect(asked.withLock { $0 } == ["Yosemite"])
    }

    // MARK: Acceptance (S18, S24-S32, S39, S41-S44)

    @Test(
        "Items that are available as text are accepted, whatever kind of text it is",
        arguments: [(.plainText, true), (.utf8PlainText, true), (.png, false), (.json, false)] as [(UniformType, Bool)]
    )
    func canHandle(type: UniformType, isTaken: Bool) {
        for policy in PlaceAcceptance.Policy.allCases {
            #expect(PlaceAcceptance(policy).canHandle(TestDrop(type)) == isTaken)
            #expect(PlaceAcceptance(policy).canHandle(TestDrop(.png, type)) == isTaken)
            #expect(!PlaceAcceptance(policy).canHandle(TestDrop()))
        }
    }

    struct Situation {
        let policy: PlaceAcceptance.Policy
        let itemCount: Int
        let hasActiveDrag: Bool
        let isEditing: Bool
        let operation: DropOperation
    }

    private static let situations = [
        Situation(policy: .strict, itemCount: 0, hasActiveDrag: false, isEditing: false, operation: .cancel),
        Situation(policy: .strict, itemCount: 1, hasActiveDrag: false, isEditing: false, operation: .copy),
        Situation(policy: .strict, itemCount: 1, hasActiveDrag: false, isEditing: true, operation: .copy),
        Situation(policy: .strict, itemCount: 2, hasActiveDrag: false, isEditing: false, operation: .cancel),
        Situation(policy: .strict, itemCount: 1, hasActiveDrag: true, isEditing: true, operation: .move),
        Situation(policy: .strict, itemCount: 1, hasActiveDrag: true, isEditing: false, operation: .cancel),
        Situation(policy: .strict, itemCount: 2, hasActiveDrag: true, isEditing: true, operation: .cancel),
        Situation(policy: .permissive, itemCount: 1, hasActiveDrag: false, isEditing: false, operation: .copy),
        Situation(policy: .permissive, itemCount: 3, hasActiveDrag: false, isEditing: false, operation: .copy),
        Situation(policy: .permissive, itemCount: 1, hasActiveDrag: true, isEditing: true, operation: .move),
        Situation(policy: .permissive, itemCount: 1, hasActiveDrag: true, isEditing: false, operation: .move),
        Situation(policy: .permissive, itemCount: 2, hasActiveDrag: true, isEditing: false, operation: .cancel),
    ]

    @Test("A proposal depends on the number of items, the origin of the drag, and editing", arguments: situations)
    @MainActor func proposal(situation: Situation) {
        let items = (0..<situation.itemCount).map { _ in DragItem(itemProvider: ItemProvider(object: "x")) }
        let proposal = PlaceAcceptance(situation.policy).proposal(
            for: TestDrop(items, from: situation.hasActiveDrag ? TestDrag() : nil),
            hasActiveDrag: situation.hasActiveDrag,
            isEditing: situation.isEditing
        )
        #expect(proposal.operation == situation.operation)
        #expect(proposal.intent == (situation.operation == .cancel ? .unspecified : .insertAtDestinationIndexPath))
    }

    @Test("Items from elsewhere are copied, also while a row is dragged", arguments: PlaceAcceptance.Policy.allCases)
    func other(policy: PlaceAcceptance.Policy) {
        let drop = TestDrop([DragItem(itemProvider: ItemProvider(object: "x"))])
        for isEditing in [false, true] {
            let proposal = PlaceAcceptance(policy).proposal(for: drop, hasActiveDrag: true, isEditing: isEditing)
            #expect(proposal.operation == .copy)
        }
    }

    @Test("A row is inserted at the session's row, otherwise at the end of the last section if there is one")
    func destination() {
        let acceptance = PlaceAcceptance(.strict)
        let hovered = IndexPath(row: 2, section: 0)
        #expect(acceptance.destination(hovered: hovered, rowCounts: [9]) == hovered)
        #expect(acceptance.destination(hovered: nil, rowCounts: [3, 4]) == IndexPath(row: 4, section: 1))
        #expect(acceptance.destination(hovered: nil, rowCounts: [3, 0]) == IndexPath(row: 0, section: 1))
        #expect(acceptance.destination(hovered: nil, rowCounts: []) == nil)
    }

    // MARK: Changes (S45-S48)

    @Test("Names are inserted in order before the existing rows")
    func insert() {
        var places = PlaceNames(["a", "b"])
        let paths = places.insert(["x", "y"], at: IndexPath(row: 1, section: 0))
        #expect(paths == [IndexPath(row: 1, section: 0), IndexPath(row: 2, section: 0)])
        #expect(places.names == ["a", "x", "y", "b"])
        #expect(places.insert([], at: IndexPath(row: 0, section: 0)).isEmpty)
    }

    @Test("Names are inserted at the end if their row no longer exists")
    func insertBehind() {
        var places = PlaceNames(["a"])
        let paths = places.insert(["x", "y"], at: IndexPath(row: 7, section: 0))
        #expect(paths.map(\.row) == [1, 2] && places.names == ["a", "x", "y"])
    }

    @Test("A moved row is at its new index, and the number of rows stays the same")
    func move() {
        var places = PlaceNames(["a", "b", "c"])
        #expect(places.move(from: 0, to: 2) == "a")
        #expect(places.names == ["b", "c", "a"])
        #expect(places.move(from: 2, to: 0) == "a")
        #expect(places.move(from: 3, to: 0) == nil)
        #expect(places.names == ["a", "b", "c"])
        #expect(places.remove(at: 1) == "b")
        #expect(places.remove(at: 2) == nil)
    }
}
