/// A destination without views: other processes direct sessions to its name.
///
///     try await DropDestination(name: "places", accepting: [.plainText]).run { session, location in
///         print(try await session.loadObjects(ofClass: String.self))
///     }
public struct DropDestination: Sendable {
    /// What happens at the destination, for whoever shows it.
    public enum Event: Sendable {
        /// A session has come; an ``updated(_:_:)`` follows.
        case entered(any DropSession)
        /// It is at this place, or has more items.
        case updated(any DropSession, DropLocation)
        /// It is elsewhere.
        case exited(any DropSession)
        /// It is over, however it ended.
        case ended(any DropSession)
    }

    /// What sources direct their sessions to: by the rules of a pasteboard's name.
    public let name: String

    /// Names a destination, which exists while it runs.
    ///
    /// - Parameters:
    ///   - types: what it takes; sessions without such an item do not come to it.
    ///   - connection: the way to the broker.
    public init(name: String, accepting types: [UniformType] = [.item], connection: PasteboardConnection = .shared) {
        self.name = name
    }

    /// What happens from now on, until ``run(propose:perform:)`` ends. Who does not keep up misses the oldest.
    public var events: AsyncStream<Event> { AsyncStream { $0.finish() } }

    /// Takes sessions until the task is cancelled, one after the other.
    ///
    /// - Parameters:
    ///   - propose: what a drop would do there. It is asked when a session comes, moves and has more items; after half a
    ///     second without an answer the drop would do nothing.
    ///   - perform: takes the drop. Loads are possible while it runs. Its return completes the drop, and a move with it; if
    ///     it throws, the drop was not taken, and the source keeps everything.
    /// - Throws: `refused` if the name is taken; what has ended the connection; `cancelled`.
    public func run(
        propose: @escaping @Sendable (any DropSession, DropLocation) async -> DropProposal = { _, _ in
            DropProposal(operation: .copy)
        },
        perform: @escaping @Sendable (any DropSession, DropLocation) async throws -> Void
    ) async throws(PasteboardError) {
    }
}
