package import PasteboardKit

/// Lets sessions be dropped on a view. Its delegate proposes the operation and performs the drop.
@MainActor
public final class DropInteraction: Interaction {
    /// The delegate that handles sessions. The reference is weak. After the delegate is released, the interaction takes
    /// no sessions.
    public private(set) weak var delegate: (any DropInteractionDelegate)?
    /// The view on which sessions are dropped.
    public private(set) weak var view: InteractionView?
    /// Whether a session may enter while another one is over the view, or was dropped there and has not ended. If
    /// false, the view ignores the second session.
    public var allowsSimultaneousDropSessions = false

    /// Makes an interaction. Add it to a view with ``InteractionView/addInteraction(_:)``.
    public init(delegate: any DropInteractionDelegate) {
        self.delegate = delegate
    }

    /// Called by the library when the interaction is added to a view or removed from one. Programs do not call it.
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
