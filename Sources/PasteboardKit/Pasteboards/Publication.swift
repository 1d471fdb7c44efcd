/// What a writer holds after a write: the ownership of these contents. Letting go of it changes nothing, as long as
/// somebody holds the connection.
public final class Publication: Sendable {
    /// How an ownership is lost.
    public enum End: Sendable {
        /// Somebody wrote to the pasteboard.
        case replaced
        /// Somebody cleared the pasteboard.
        case cleared
        /// The time that was set is over.
        case expired
        /// The contents were handed over to the broker.
        case handedOver
        /// The connection to the broker is gone, and the promises with it.
        case brokerGone
    }

    /// The number of these contents.
    public let changeCount: ChangeCount

    private let request: WriteRequest
    private let connection: PasteboardConnection

    init(changeCount: ChangeCount, request: WriteRequest, connection: PasteboardConnection) {
        self.changeCount = changeCount
        self.request = request
        self.connection = connection
    }

    /// Returns once the ownership is lost, and at once after that. Loads that have begun by then are still finished.
    ///
    /// - Throws: `cancelled`, at once, if the task is cancelled before; the publication goes on.
    public func ended() async throws(PasteboardError) -> End {
        try await request.end.value(for: Call("the wait for the publication's end", besides: "the publication"))
    }
}
