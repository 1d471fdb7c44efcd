public import Foundation
public import PasteboardKit

/// Provides the items of the drags that begin in a view, and is notified of their events.
///
/// The methods are called in this order: items for beginning, will begin, the three permissions, did move, items for
/// adding, will add, will end, did end, did transfer. All but the first have a default implementation. If a superclass
/// conforms to this protocol and does not implement a method, an implementation in its subclass is not called.
@MainActor
public protocol DragInteractionDelegate: AnyObject {
    /// Returns the items to drag. The session has no items yet. Its location is the point at which it begins.
    ///
    /// - Returns: the items. If there are none, no drag begins, and no other method is called.
    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem]

    /// The drag is about to begin. If the broker then refuses it, the drag ends with `DropOperation.cancel`.
    func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession)

    /// Returns whether destinations may propose `DropOperation.move`. It is called once. The default is true.
    func dragInteraction(_ interaction: DragInteraction, sessionAllowsMoveOperation session: any DragSession) -> Bool

    /// Returns whether the session is restricted to this process. It is called once. The default is false.
    func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool

    /// Returns whether destinations of other processes may propose a move too, if moves are allowed. It is called once.
    /// The default is false.
    ///
    /// UIKit has no such method, because a move never leaves the program there. Delete the moved items in
    /// ``dragInteraction(_:sessionDidTransferItems:)``, and not earlier.
    func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool

    /// The session has another location, or none.
    func dragInteraction(_ interaction: DragInteraction, sessionDidMove session: any DragSession)

    /// Returns the items to add to a session that is under way. The point is in the view's coordinates.
    ///
    /// - Returns: the items. If there are none, nothing is added. The default is none.
    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: CGPoint
    ) -> [DragItem]

    /// Items are about to be added. All interactions that have contributed items to the session are notified.
    /// `addingInteraction` is the one that contributes these items. For items without an interaction it is the one at
    /// which the drag began.
    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willAdd items: [DragItem],
        for addingInteraction: DragInteraction
    )

    /// The session was dropped, or was lost. Nothing has been transferred yet. `operation` is the operation of the
    /// drop.
    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, willEndWith operation: DropOperation)

    /// The session was dropped, or was lost. Called right after ``dragInteraction(_:session:willEndWith:)``. Keep the
    /// data of the items: it is needed until they are transferred, which may be much later.
    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, didEndWith operation: DropOperation)

    /// The destination has all the items that it asked for, and has confirmed that the drop is complete. Moved items
    /// can be deleted now. It is never called for a drop that was cancelled or has failed.
    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession)
}

extension DragInteractionDelegate {
    /// Does nothing.
    public func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession) {}

    /// Returns true.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveOperation session: any DragSession
    ) -> Bool { true }

    /// Returns false.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool { false }

    /// Returns false.
    public func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool { false }

    /// Does nothing.
    public func dragInteraction(_ interaction: DragInteraction, sessionDidMove session: any DragSession) {}

    /// Returns no items.
    public func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: CGPoint
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
