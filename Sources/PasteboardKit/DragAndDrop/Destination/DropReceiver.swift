/// An object that handles the sessions of one destination.
///
/// Calls for one session come one after the other. If the destination allows several sessions at once, calls for one may
/// come while the drop of another is performed. All calls come on the actor that serves the registration, so that a receiver
/// need not be Sendable.
///
/// Nothing of it is called before ``propose(_:at:isEntry:)``.
package protocol DropReceiver: AnyObject {
    /// The session is over the destination, newly or at another location, or it has more items.
    ///
    /// - Returns: what a drop would do there; nil: it cannot handle the session as it is now, and is asked again once items
    ///   were added. Whoever asks waits for half a second.
    func propose(_ session: RemoteDropSession, at location: DropLocation, isEntry: Bool) async -> DropProposal?
    /// The session, which had been proposed something for since it came, is elsewhere.
    func exited(_ session: RemoteDropSession) async
    /// The session was dropped. Loads may begin until this has returned and every extension of the window has.
    ///
    /// - Throws: why the drop was not taken.
    func perform(_ session: RemoteDropSession, at location: DropLocation, operation: DropOperation) async throws
    /// The session is over, however it ended. Once, and only for a session that something was proposed for.
    func ended(_ session: RemoteDropSession) async
}
