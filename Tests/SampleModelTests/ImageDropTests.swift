import Foundation
import PasteboardCompatibility
import PasteboardKit
import SampleModels
import TestSupport
import Testing

/// The packaging, the rules and the changes of `image-drop`.
@Suite(.inProcess)
struct ImageDropTests {
    // MARK: Packaging (S12, S13)

    @Test("The picture is one item with its own types, and the picture itself in this process")
    @MainActor func package() async throws {
        let picture = Picture(Data([1, 2, 3]), type: .jpeg)
        let items = ImagePackaging.items(for: ImageBoard(picture))
        let item = try #require(items.first)
        #expect(items.count == 1 && item.localObject as? Picture === picture)
        #expect(item.itemProvider.registeredTypeIdentifiers == picture.writableTypeIdentifiersForItemProvider)
        #expect(item.itemProvider.registeredTypeIdentifiers == ["public.jpeg"])
        let loaded = try await item.itemProvider.load(Picture.self)
        #expect(loaded.data == picture.data && loaded.type == .jpeg)
    }

    @Test("Without a picture there is no item")
    @MainActor func nothing() {
        #expect(ImagePackaging.items(for: ImageBoard(nil)).isEmpty)
    }

    @Test("The first picture is a PNG, and empty data is not a picture")
    func pixel() throws {
        #expect(Picture.pixel.data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(throws: PasteboardError.self) {
            try Picture.object(withItemProviderData: Data(), typeIdentifier: "public.png")
        }
    }

    // MARK: Acceptance (S20, S21, S33-S35)

    @Test(
        "A session is accepted if it has exactly one item and the item is an image of any kind",
        arguments: [
            ([.png], true), ([.jpeg], true), ([UniformType(importedAs: "public.heic")], true), ([.image], true),
            ([.plainText], false), ([.png, .png], false), ([.png, .plainText], false), ([], false),
        ] as [([UniformType], Bool)]
    )
    func canHandle(types: [UniformType], isTaken: Bool) {
        let items = types.map { type in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: type) { Data() }
            return DragItem(itemProvider: provider)
        }
        #expect(ImageAcceptance.canHandle(TestDrop(items)) == isTaken)
    }

    @Test(
        "A drop copies inside of the frame, or moves the program's own picture; outside it does nothing",
        arguments: [
            (20.0, 20.0, DropOperation.copy, DropOperation.move), (50, 50, .copy, .move), (79.5, 79.5, .copy, .move),
            (80, 50, .cancel, .cancel), (19, 50, .cancel, .cancel), (0, 0, .cancel, .cancel),
            (-5, 200, .cancel, .cancel),
        ]
    )
    @MainActor func proposal(x: Double, y: Double, foreign: DropOperation, local: DropOperation) {
        let point = CGPoint(x: x, y: y)
        let drag = TestDrag()
        #expect(ImageAcceptance.proposal(for: TestDrop(.png), at: point, in: ImageBoard()).operation == foreign)
        #expect(
            ImageAcceptance.proposal(for: TestDrop(.png, from: drag), at: point, in: ImageBoard()).operation == local
        )
    }

    // MARK: Changes (S55, S56)

    @Test("The first of several pictures replaces the previous one, and an empty array changes nothing")
    func show() {
        let pictures = (0..<3).map { Picture(Data([$0]), type: .png) }
        var board = ImageBoard()
        let isShown = board.show(pictures)
        #expect(isShown && board.picture === pictures[0])
        let isNothingShown = board.show([])
        #expect(!isNothingShown && board.picture === pictures[0])
    }

    @Test("A picture that has moved elsewhere is removed, unless another one is shown by then")
    func remove() {
        let (first, second) = (Picture(Data([1]), type: .png), Picture(Data([2]), type: .png))
        var board = ImageBoard(first)
        let isOtherRemoved = board.remove(second)
        #expect(!isOtherRemoved && board.picture === first)
        let isRemoved = board.remove(first)
        #expect(isRemoved && board.picture == nil)
    }
}
