import FoundationEssentials
import TableDragAndDrop

/// A drag session as a program's own test would make one.
final class TestDrag: DragSession {
    let items: [DragItem]
    let allowsMoveOperation = true
    let isRestrictedToDraggingApplication = false
    @MainActor var localContext: Any?

    init(_ items: [DragItem] = []) {
        self.items = items
    }

    let location: DropLocation? = nil
}

/// A drop session as a program's own test would make one. Nothing is loaded from it.
final class TestDrop: DropSession {
    let items: [DragItem]
    let allowsMoveOperation: Bool
    let isRestrictedToDraggingApplication = false
    let localDragSession: (any DragSession)?
    let progress = LoadProgress()

    init(_ items: [DragItem], from drag: (any DragSession)? = nil, allowsMoveOperation: Bool = true) {
        self.items = items
        self.allowsMoveOperation = allowsMoveOperation
        localDragSession = drag
    }

    convenience init(texts: String...) {
        self.init(texts.map { DragItem(text: $0) })
    }

    let location: DropLocation? = nil

    func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> sending [T] { [] }

    func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void) {
        Task { @MainActor in try await body() }
    }
}

extension DragItem {
    /// A row as the samples package it, with plain text only.
    convenience init(text: String) {
        let provider = ItemProvider()
        let data = Data(text.utf8)
        provider.registerDataRepresentation(for: .plainText) { data }
        self.init(itemProvider: provider)
    }
}
