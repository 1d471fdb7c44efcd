/// A session at a destination of this process, which may have begun in any.
package final class RemoteDropSession: DropSession {
    /// Loads of the drop.
    package let progress = LoadProgress()

    package var items: [DragItem] { [] }
    package var allowsMoveOperation: Bool { false }
    package var isRestrictedToDraggingApplication: Bool { false }
    package var localDragSession: (any DragSession)? { nil }

    @MainActor package func location(in view: InteractionView) -> Point { .zero }

    /// The drop is not complete before this, too, is let go of.
    package func holdConclusion() -> Hold { Hold() }

    package final class Hold: Sendable {
        package func release() {
        }
    }

    package func loadObjects<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completion: @escaping @MainActor (_ objects: sending [T]) -> Void
    ) -> LoadProgress {
        progress
    }

    package func loadObjects<T: ItemProviderReading>(
        ofClass aClass: T.Type
    ) async throws(PasteboardError) -> sending [T] {
        []
    }

    package func extendLoadWindow(_ body: @escaping @MainActor () async throws -> Void) {
    }
}
