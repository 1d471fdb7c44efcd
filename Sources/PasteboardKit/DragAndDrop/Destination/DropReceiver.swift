/// An object that handles the sessions of one destination.
///
/// Calls for one session are made one after the other. If the destination allows several sessions at once, calls for
/// one may be made while the drop of another is performed. All calls are made on the actor that serves the
/// registration, so a receiver need not be Sendable.
///
/// For each session, ``propose(_:at:isEntry:)`` is called first.
package protocol DropReceiver: AnyObject {
    /// The session has entered the destination, has another location in it, or has more items.
    ///
    /// - Returns: the proposal for a drop; nil if the receiver cannot handle the session. It is then asked again when
    ///   items are added. The broker waits half a second for the proposal.
    func propose(_ session: RemoteDropSession, at location: DropLocation, isEntry: Bool) async -> DropProposal?
    /// The session has left the destination. It is called only if a proposal was made since the session entered.
    func exited(_ session: RemoteDropSession) async
    /// The session was dropped. Loads may begin until this call and all extensions of the drop window have returned.
    ///
    /// - Throws: the reason why the drop failed.
    func perform(_ session: RemoteDropSession, at location: DropLocation, operation: DropOperation) async throws
    /// The session has ended in any way. It is called once, and only for a session for which a proposal was made.
    func ended(_ session: RemoteDropSession) async
}
