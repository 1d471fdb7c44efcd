/// What takes drops in a view. A session is over one of a tree of views at a time.
@MainActor
package protocol DropTarget: Interaction {
    /// Whether a second session may come before the first has left or ended.
    var allowsSimultaneousDropSessions: Bool { get }
    /// Whether anybody is there to ask.
    var isAttended: Bool { get }

    /// Asked before anything else, and again once the session has more items. What answers no hears of the session no more.
    func canHandle(_ session: any DropSession) -> Bool
    /// It has come.
    func sessionDidEnter(_ session: any DropSession)
    /// What a drop would do there.
    func sessionDidUpdate(_ session: any DropSession, at location: DropLocation) -> DropProposal
    /// It is elsewhere.
    func sessionDidExit(_ session: any DropSession)
    /// It is dropped here. Loads can begin.
    func performDrop(_ session: any DropSession, at location: DropLocation, operation: DropOperation)
    /// After the drop was performed.
    func concludeDrop(_ session: any DropSession)
    /// It is over, after it has entered once.
    func sessionDidEnd(_ session: any DropSession)
}
