import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TestSupport
import Testing

/// The packaging, the rules and the changes of `cat-toys`.
@Suite(.inProcess)
struct CatToysTests {
    // MARK: Packaging (S74)

    @Test("A toy is offered as its name to all programs, and with its origin to programs of this kind")
    @MainActor func package() async throws {
        let item = try #require(ToyPackaging().items(for: "bâton 🎾", of: "Tama").first)
        #expect(
            item.itemProvider.registeredTypeIdentifiers == ["public.plain-text", UniformType.toyOrigin.identifier]
        )
        #expect(try await item.itemProvider.load(String.self) == "bâton 🎾")
        #expect(try await item.itemProvider.loadData(for: .toyOrigin) == Data("Tama".utf8))
    }

    @Test("A toy without a name has no item")
    @MainActor func noName() {
        #expect(ToyPackaging().items(for: "", of: "Tama").isEmpty)
    }

    // MARK: Acceptance (S22, S69-S71)

    @Test("The origin of a toy is the cat of the local context, or for another process is loaded from the item")
    @MainActor func origin() throws {
        let toys = ToyPackaging().items(for: "ball", of: "Tama")
        let drag = TestDrag()
        drag.localContext = "Mike"
        #expect(ToyAcceptance.origin(of: TestDrop(toys, from: drag)) == .here(cat: "Mike"))
        #expect(ToyAcceptance.proposal(for: TestDrop(toys, from: drag)).operation == .move)
        #expect(ToyAcceptance.origin(of: TestDrop(toys)) == .elsewhere)
        #expect(ToyAcceptance.proposal(for: TestDrop(toys)).operation == .move)
        #expect(ToyAcceptance.origin(of: TestDrop(.utf8PlainText)) == .unknown)
        #expect(ToyAcceptance.proposal(for: TestDrop(.utf8PlainText)).operation == .copy)
    }

    @Test("The toy is the first item with a name, and a picture has none")
    @MainActor func first() {
        let session = TestDrop(.png, .utf8PlainText, .plainText)
        #expect(ToyAcceptance.toy(of: session) === session.items[1])
        #expect(ToyAcceptance.toy(of: TestDrop(.png)) == nil)
        #expect(ToyAcceptance.origin(of: TestDrop(.png)) == .unknown)
    }

    // MARK: Changes (S65-S67, S75)

    @Test("A toy leaves its cat and arrives at the end of another's; no name is lost or made up")
    func move() {
        var toys = CatToys()
        let names = toys.names
        toys.move("mouse", from: "Tama", to: "Kuro")
        #expect(toys["Tama"] == ["ball", "feather"] && toys["Kuro"] == ["box", "mouse"])
        toys.move("box", from: "Kuro", to: "Kuro")
        #expect(toys["Kuro"] == ["mouse", "box"] && toys.names == names)
    }

    @Test("Toys of one name leave together and arrive as one")
    func equalNames() {
        var toys = CatToys(toys: ["Tama": ["ball", "bell", "ball"]])
        toys.move("ball", from: "Tama", to: "Mike")
        #expect(toys["Tama"] == ["bell"] && toys["Mike"] == ["ball"])
        toys = CatToys(toys: ["Tama": ["ball", "bell", "ball"]])
        toys.move("ball", from: "Tama", to: "Tama")
        #expect(toys["Tama"] == ["bell", "ball"])
    }

    @Test("A toy of an unknown cat still arrives, and nothing leaves")
    func unknownCat() {
        var toys = CatToys(toys: ["Tama": ["ball"]])
        toys.move("ball", from: "Nobody", to: "Mike")
        #expect(toys["Tama"] == ["ball"] && toys["Mike"] == ["ball"] && toys["Nobody"].isEmpty)
        toys.remove("bell", from: "Nobody")
        #expect(toys == CatToys(toys: ["Tama": ["ball"], "Mike": ["ball"]]))
    }

    @Test("Between two processes a toy arrives before it leaves, so that it always exists")
    func twoPhases() {
        var (here, there) = (CatToys(), CatToys(toys: [:]))
        let names = here.names
        there.add("ball", to: "Kuro")
        #expect(here.names.union(there.names) == names)
        here.remove("ball", from: "Tama")
        #expect(here.names.union(there.names) == names && here.names.isDisjoint(with: there.names))
    }
}
