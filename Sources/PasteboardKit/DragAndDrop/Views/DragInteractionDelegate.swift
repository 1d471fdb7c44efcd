/// Gives the items of the drags that begin in a view, and hears what becomes of them.
///
/// The methods are called in this order: items for beginning, will begin, what is allowed, moved, items for adding, will add,
/// will end, did end, did transfer. All but the first have a default. A method of a subclass is not called where its
/// superclass conforms and does not have it.
@MainActor
public protocol DragInteractionDelegate: AnyObject {
    /// What is dragged from here. The session has no items yet; where it begins is its location.
    ///
    /// - Returns: the items; none: no drag begins, and nothing else is called.
    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem]

    /// The drag is about to begin. If the broker refuses it after this, it ends with ``DropOperation/cancel``.
    func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession)

    /// Whether destinations may propose ``DropOperation/move``. Asked once. Default: yes.
    func dragInteraction(_ interaction: DragInteraction, sessionAllowsMoveOperation session: any DragSession) -> Bool

    /// Whether the session is for this process alone. Asked once. Default: no.
    func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool

    /// Whether destinations of other processes, too, may propose to move what may be moved. Asked once. Default: no.
    ///
    /// Not in UIKit, where a move never leaves the program. What was moved is to be deleted in
    /// ``dragInteraction(_:sessionDidTransferItems:)``, and nowhere before.
    func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool

    /// The session is at another location, or over nothing.
    func dragInteraction(_ interaction: DragInteraction, sessionDidMove session: any DragSession)

    /// What is added to a session that is under way, when it is asked for at a point of the view, in its coordinates.
    ///
    /// - Returns: the items; none: nothing is added. Default: none.
    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: Point
    ) -> [DragItem]

    /// Items are about to be added. Every interaction hears of it that items of the session have come from. The one that
    /// these come from is named last; where they come from none, it is the one that the drag began at.
    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willAdd items: [DragItem],
        for addingInteraction: DragInteraction
    )

    /// The session was let go of, or is lost; nothing has been transferred yet. The operation is what the drop does.
    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, willEndWith operation: DropOperation)

    /// The session was let go of, or is lost: after ``dragInteraction(_:session:willEndWith:)``. What the items are made of
    /// is needed until they are transferred, which may be much later.
    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, didEndWith operation: DropOperation)

    /// The destination has all that it asked for, and said that it is complete: what was moved can be deleted now. Never
    /// called for a drop that was cancelled or has failed.
    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession)
}

extension DragInteractionDelegate {
    /// Does nothing.
    public func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession) {}

    /// Yes.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveOperation session: any DragSession
    ) -> Bool { true }

    /// No.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool { false }

    /// No.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool { false }

    /// Does nothing.
    public func dragInteraction(_ interaction: DragInteraction, sessionDidMove session: any DragSession) {}

    /// None.
    public func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: Point
    ) -> [DragItem] { [] }

    /// Does nothing.
    public func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willAdd items: [DragItem],
        for addingInteraction: DragInteraction
    ) {}

    /// Does nothing.
    public func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willEndWith operation: DropOperation
    ) {}

    /// Does nothing.
    public func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        didEndWith operation: DropOperation
    ) {}

    /// Does nothing.
    public func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession) {}
}
