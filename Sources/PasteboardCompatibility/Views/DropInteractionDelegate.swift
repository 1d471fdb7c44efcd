public import PasteboardKit

/// Proposes the operation of a drop on a view, and performs the drop.
///
/// The methods are called in this order: can handle, did enter, did update, did exit, perform, conclude, did end. All
/// have a default implementation; that of ``dropInteraction(_:sessionDidUpdate:)`` accepts no drop. If a superclass
/// conforms to this protocol and does not implement a method, an implementation in its subclass is not called.
@MainActor
public protocol DropInteractionDelegate: AnyObject {
    /// Returns whether the delegate can handle the session. If not, the view around this one is asked, and the delegate
    /// is no longer notified of the session. It is asked again when items are added. The default is true.
    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool

    /// The session has entered the view. It may have been there before.
    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession)

    /// The session has entered, has another location in the view, or has more items. The method must return soon: if
    /// there is no answer after half a second, the drop would do nothing.
    ///
    /// - Returns: the proposal for a drop. The default is `DropOperation.cancel`.
    func dropInteraction(_ interaction: DropInteraction, sessionDidUpdate session: any DropSession) -> DropProposal

    /// The session has left the view, or has ended.
    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession)

    /// The session was dropped, after the delegate proposed a copy or a move. Loads can begin only until this method
    /// and the closures that it passes to `DropSession.extendDropWindow(_:)` have returned.
    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession)

    /// The drop was performed. Loads may still be under way.
    func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession)

    /// The session has ended: it was dropped here or elsewhere, was cancelled or was lost. `DropSession.outcome`
    /// contains the result. Each interaction that the session has entered is notified once.
    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession)
}

extension DropInteractionDelegate {
    /// Returns true.
    public func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool { true }

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {}

    /// Returns a proposal of `DropOperation.cancel`.
    public func dropInteraction(
        _ interaction: DropInteraction,
        sessionDidUpdate session: any DropSession
    ) -> DropProposal { DropProposal(operation: .cancel) }

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession) {}

    /// Does nothing: the session ends without a transfer.
    public func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {}

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession) {}

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {}
}
