/// Lets sessions be dropped on a view: its delegate says what a drop would do, and takes it.
@MainActor
public final class DropInteraction: Interaction {
    /// Who says what a drop does. It is not held; without it the interaction is not there.
    public private(set) weak var delegate: (any DropInteractionDelegate)?
    /// The view that sessions are dropped on.
    public private(set) weak var view: InteractionView?
    /// Whether a session may come while another is over the view, or is dropped there and not over. If not, the second one
    /// finds nothing here.
    public var allowsSimultaneousDropSessions = false

    /// Makes an interaction; ``InteractionView/addInteraction(_:)`` gives it to a view.
    public init(delegate: any DropInteractionDelegate) {
        self.delegate = delegate
    }

    /// Part of being added to a view and removed from one; not for programs to call.
    public func didMove(to view: InteractionView?) {
        self.view = view
    }
}

extension DropInteraction: DropTarget {
    package var isAttended: Bool { delegate != nil }

    package func canHandle(_ session: any DropSession) -> Bool {
        delegate?.dropInteraction(self, canHandle: session) ?? false
    }

    package func sessionDidEnter(_ session: any DropSession) {
        delegate?.dropInteraction(self, sessionDidEnter: session)
    }

    package func sessionDidUpdate(_ session: any DropSession, at location: DropLocation) -> DropProposal {
        delegate?.dropInteraction(self, sessionDidUpdate: session) ?? DropProposal(operation: .cancel)
    }

    package func sessionDidExit(_ session: any DropSession) {
        delegate?.dropInteraction(self, sessionDidExit: session)
    }

    package func performDrop(_ session: any DropSession, at location: DropLocation, operation: DropOperation) {
        delegate?.dropInteraction(self, performDrop: session)
    }

    package func concludeDrop(_ session: any DropSession) {
        delegate?.dropInteraction(self, concludeDrop: session)
    }

    package func sessionDidEnd(_ session: any DropSession) {
        delegate?.dropInteraction(self, sessionDidEnd: session)
    }
}
