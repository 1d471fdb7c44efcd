package import PasteboardKit

/// An object that takes drops in a view. A session is over at most one target of a tree of views at a time.
@MainActor
package protocol DropTarget: Interaction {
    /// Whether a second session may enter before the first has left or ended.
    var allowsSimultaneousDropSessions: Bool { get }
    /// Whether the target has a delegate that can answer.
    var isAttended: Bool { get }

    /// Returns whether the target can handle the session. It is called before all other methods, and again when items
    /// are added. A target that returns false is no longer notified of the session.
    func canHandle(_ session: any DropSession) -> Bool
    /// The session has entered.
    func sessionDidEnter(_ session: any DropSession)
    /// Returns the proposal for a drop at the location.
    func sessionDidUpdate(_ session: any DropSession, at location: DropLocation) -> DropProposal
    /// The session has left, or has ended.
    func sessionDidExit(_ session: any DropSession)
    /// The session was dropped here. Loads can begin.
    func performDrop(_ session: any DropSession, at location: DropLocation, operation: DropOperation)
    /// The drop was performed.
    func concludeDrop(_ session: any DropSession)
    /// The session has ended. Called only if the session has entered before.
    func sessionDidEnd(_ session: any DropSession)
}
