/// Says what a drop on a view would do, and takes it.
///
/// The methods are called in this order: can handle, did enter, did update, did exit, perform, conclude, did end. All have a
/// default; with the one of ``dropInteraction(_:sessionDidUpdate:)`` nothing is taken. A method of a subclass is not called
/// where its superclass conforms and does not have it.
@MainActor
public protocol DropInteractionDelegate: AnyObject {
    /// Whether the session is of interest. If not, nothing more is heard of it, and the view around this one is asked; once
    /// it has more items, this is asked again. Default: yes.
    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool

    /// The session has come over the view, perhaps again.
    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession)

    /// The session has come, is at another location in the view, or has more items. It must be quick: after half a second the
    /// drop would do nothing.
    ///
    /// - Returns: what a drop would do. Default: ``DropOperation/cancel``.
    func dropInteraction(_ interaction: DropInteraction, sessionDidUpdate session: any DropSession) -> DropProposal

    /// The session is elsewhere, or over.
    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession)

    /// The session is dropped: copy or move was proposed last. Loads can begin until this has returned, and until what it
    /// gives to ``DropSession/extendDropWindow(_:)`` has; never before and after.
    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession)

    /// The drop was performed. Loads may still be under way.
    func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession)

    /// The session is over: it was dropped here or elsewhere, cancelled or lost. ``DropSession/outcome`` contains the result.
    /// Every interaction that the session has entered is notified, once.
    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession)
}

extension DropInteractionDelegate {
    /// Yes.
    public func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool { true }

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {}

    /// Nothing is taken.
    public func dropInteraction(
        _ interaction: DropInteraction,
        sessionDidUpdate session: any DropSession
    ) -> DropProposal { DropProposal(operation: .cancel) }

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession) {}

    /// Does nothing: the session ends, and nothing was transferred.
    public func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {}

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession) {}

    /// Does nothing.
    public func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {}
}
