import PasteboardCompatibility
import PasteboardKit

/// A table as a drop target in its tree of views.
@MainActor
final class TableDropTarget: DropTarget {
    private weak var table: Table?

    init(_ table: Table) {
        self.table = table
    }

    var view: InteractionView? { table }
    /// Items that are still being loaded have placeholders, so a further drop can begin in the meantime.
    let allowsSimultaneousDropSessions = true
    var isAttended: Bool { table?.dropDelegate != nil }

    func canHandle(_ session: any DropSession) -> Bool {
        table?.canHandle(session) ?? false
    }

    func sessionDidEnter(_ session: any DropSession) {
        table?.enter(session)
    }

    func sessionDidUpdate(_ session: any DropSession, at location: DropLocation) -> DropProposal {
        table?.update(session, at: location.indexPath) ?? DropProposal(operation: .cancel)
    }

    func sessionDidExit(_ session: any DropSession) {
        table?.exit(session)
    }

    func performDrop(_ session: any DropSession, at location: DropLocation, operation: DropOperation) {
        table?.perform(session, at: location.indexPath, operation: operation)
    }

    func concludeDrop(_ session: any DropSession) {}

    func sessionDidEnd(_ session: any DropSession) {
        table?.end(session)
    }
}
