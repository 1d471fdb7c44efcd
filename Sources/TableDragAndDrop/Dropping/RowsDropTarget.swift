import PasteboardCompatibility
import PasteboardKit

/// A view of rows as a drop target in its tree of views.
@MainActor
final class RowsDropTarget: DropTarget {
    private weak var rows: RowsView?

    init(_ rows: RowsView) {
        self.rows = rows
    }

    var view: InteractionView? { rows }
    /// Items that are still being loaded have placeholders, so a further drop can begin in the meantime.
    let allowsSimultaneousDropSessions = true
    var isAttended: Bool { rows?.hasDropDelegate ?? false }

    func canHandle(_ session: any DropSession) -> Bool {
        rows?.canHandle(session) ?? false
    }

    func sessionDidEnter(_ session: any DropSession) {
        rows?.enter(session)
    }

    func sessionDidUpdate(_ session: any DropSession, at location: DropLocation) -> DropProposal {
        rows?.update(session, at: location.indexPath) ?? DropProposal(operation: .cancel)
    }

    func sessionDidExit(_ session: any DropSession) {
        rows?.exit(session)
    }

    func performDrop(_ session: any DropSession, at location: DropLocation, operation: DropOperation) {
        rows?.perform(session, at: location.indexPath, operation: operation)
    }

    func concludeDrop(_ session: any DropSession) {}

    func sessionDidEnd(_ session: any DropSession) {
        rows?.end(session)
    }
}
