import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension DropDestination {
    /// The names that a drag can be directed to now, in alphabetical order: destinations and views that processes have
    /// registered, this one's included; not what ``InteractionView`` has for drags within this process.
    ///
    /// Which of them take what is dragged they say themselves when it comes: ``Drag/move(to:)``.
    ///
    /// - Parameter connection: the way to the broker.
    /// - Throws: what has ended the connection; `cancelled` if the task is cancelled.
    public static func names(connection: PasteboardConnection = .shared) async throws(PasteboardError) -> [String] {
        let link = try await connection.link()
        let request = DestinationNames()
        let names = try await request.reply.value {
            if request.reply.resolve(.failure(.cancelled)) { link.cancel(request) }
        } start: {
            link.open(request) { state throws(Failure) in try state.open(Status()) }
        }
        let hidden = DropRegistration.ownNames.withLock(\.self)
        return names.filter { !hidden.contains($0) }
    }
}
