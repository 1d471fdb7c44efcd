import PasteboardCompatibility
import PasteboardKit

/// A delegate of a drag interaction that behaves as a test wants and records its calls.
@MainActor
final class TracedSource: DragInteractionDelegate {
    let name: String
    let trace: InteractionTrace
    var items: @MainActor () -> [DragItem]
    var added: @MainActor () -> [DragItem] = { [] }
    var allowsMove = true
    var isRestricted = false
    var allowsMoveBetweenProcesses = false
    var begins: @MainActor (any DragSession) -> Void = { _ in }

    init(_ name: String, _ trace: InteractionTrace) {
        self.name = name
        self.trace = trace
        items = { [DragItem(itemProvider: ItemProvider(object: "Yosemite"))] }
    }

    private func tell(_ event: String) {
        trace.add(event, to: name)
    }

    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem] {
        tell("items")
        begins(session)
        return items()
    }

    func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession) {
        tell("willBegin \(session.items.count)")
    }

    func dragInteraction(_ interaction: DragInteraction, sessionAllowsMoveOperation session: any DragSession) -> Bool {
        tell("allowsMove")
        return allowsMove
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool {
        tell("isRestricted")
        return isRestricted
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool {
        allowsMoveBetweenProcesses
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidMove session: any DragSession) {
        tell("moved")
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: CGPoint
    ) -> [DragItem] {
        tell("adding \(Int(point.x)) \(Int(point.y))")
        return added()
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willAdd items: [DragItem],
        for addingInteraction: DragInteraction
    ) {
        tell("willAdd \(items.count) of \((addingInteraction.delegate as? TracedSource)?.name ?? "nobody")")
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willEndWith operation: DropOperation
    ) {
        tell("willEnd \(operation)")
    }

    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, didEndWith operation: DropOperation)
    {
        tell("didEnd \(operation)")
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession) {
        tell("transferred")
    }
}
