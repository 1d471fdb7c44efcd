import FoundationEssentials
import PasteboardKit

/// A session made by the tests, without a broker.
final class TestDrop: DropSession {
    let items: [DragItem]
    let allowsMoveOperation = true
    let isRestrictedToDraggingApplication = false
    let localDragSession: (any DragSession)?
    let progress = LoadProgress()

    init(_ items: [DragItem], from drag: (any DragSession)? = nil) {
        self.items = items
        localDragSession = drag
    }

    /// A session with items of these types, without bytes.
    convenience init(_ types: UniformType..., from drag: (any DragSession)? = nil) {
        let items = types.map { type in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: type) { Data() }
            return DragItem(itemProvider: provider)
        }
        self.init(items, from: drag)
    }

    let location: DropLocation? = nil

    func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> sending [T] {
        []
    }

    func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void) {}
}

/// The drag session of such a drop.
final class TestDrag: DragSession {
    let items: [DragItem] = []
    let allowsMoveOperation = true
    let isRestrictedToDraggingApplication = false
    @MainActor var localContext: Any?

    @MainActor init() {}

    let location: DropLocation? = nil
}
