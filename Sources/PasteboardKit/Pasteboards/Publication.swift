import PasteboardClient
import PasteboardWire

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
        /// This program has withdrawn the contents, with ``Publication/withdraw()`` or by cancelling ``Publication/run()``.
        case withdrawn
    }

    /// The number of these contents.
    public let changeCount: ChangeCount

    private let request: WriteRequest
    private let connection: PasteboardConnection
    private let board: String
    /// The one that the promises were made on: they do not outlive it.
    private let link: Link

    init(
        changeCount: ChangeCount,
        request: WriteRequest,
        board: String,
        connection: PasteboardConnection,
        link: Link
    ) {
        self.changeCount = changeCount
        self.request = request
        self.board = board
        self.connection = connection
        self.link = link
    }

    /// Whether the pasteboard still has these contents, as far as this process knows: the broker is not asked.
    public var isCurrent: Bool { request.end.value == nil }

    /// Returns once the ownership is lost, and at once after that. Loads that have begun by then are still finished.
    ///
    /// - Throws: `cancelled`, at once, if the task is cancelled before; the publication goes on.
    public func ended() async throws(PasteboardError) -> End {
        try await request.end.value(for: Call("the wait for the publication's end", besides: "the publication"))
    }

    /// Serves the promises until the ownership is lost, and returns once every load that this process was asked for has
    /// ended: after that the program may exit.
    ///
    /// Cancelling the task withdraws the contents, as ``withdraw()`` does.
    ///
    ///     let publication = try await Pasteboard.general.write(providers)
    ///     print("ended:", await publication.run())
    ///
    /// - Returns: how the ownership was lost; `withdrawn` if the task was cancelled before.
    public func run() async -> End {
        if (try? await ended()) == nil {
            // Of a task of its own, which is not cancelled.
            await Task { try? await withdraw() }.value
        }
        await link.answersEnded(of: request)
        return request.end.value ?? .withdrawn
    }

    /// Clears the pasteboard if it still has these contents, and nothing that was written later. Loads that have begun are
    /// still finished; then ``ended()`` gives `withdrawn`. Once the ownership is lost, this changes nothing.
    ///
    /// - Throws: what has failed; `cancelled` if the task is cancelled: then it may have been done or not.
    public func withdraw() async throws(PasteboardError) {
        guard isCurrent else { return }
        let call = Call("the withdrawal of the publication")
        var clear = Clear()
        clear.board = board
        clear.ifChangeCount = changeCount.value
        clear.requires = [Feature.condition.rawValue]
        let clearing = ClearRequest()
        request.withdraw()
        do throws(PasteboardError) {
            _ = try await clearing.reply.value(for: call) { [link] in
                link.cancel(clearing)
            } start: {
                link.open(clearing) { [clear] state throws(Failure) in try state.open(clear) }
            }
        } catch {
            // Somebody has changed the pasteboard, or the connection is gone: the end of the publication says it.
            guard error.code == .superseded || link.isOver else { throw error }
        }
        _ = try await request.end.value(for: call)
    }
}
