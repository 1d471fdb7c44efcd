/// A destination without views: other processes direct sessions to its name.
///
///     try await DropDestination(name: "places", accepting: [.plainText]).run { session, location in
///         print(try await session.load(String.self))
///     }
public struct DropDestination: Sendable {
    /// An event at the destination, for programs that display its sessions.
    public enum Event: Sendable {
        /// A session has entered. An ``updated(_:_:)`` follows.
        case entered(any DropSession)
        /// The session is at this location now, or has more items.
        case updated(any DropSession, DropLocation)
        /// The session is elsewhere now.
        case exited(any DropSession)
        /// The session has ended with this outcome, which is also in ``DropSession/outcome``.
        case ended(any DropSession, Drag.Outcome)
    }

    /// The name of the destination. The rules for pasteboard names apply.
    public let name: String

    private let types: [UniformType]
    private let connection: PasteboardConnection
    private let listeners = DropEventListeners()

    /// Describes a destination. It exists at the broker while ``run(propose:perform:onRegistered:)`` runs.
    ///
    /// - Parameters:
    ///   - name: the name to which sources direct their sessions.
    ///   - types: the accepted types, at most 64. The destination is not notified of sessions without an item of these
    ///     types. A type includes the types that conform to it: `[.item]` accepts every file, every folder and all
    ///     other data, `[.data]` files and all other data but no folders, `[.folder]` only folders.
    ///   - connection: the connection to the broker.
    public init(name: String, accepting types: [UniformType] = [.item], connection: PasteboardConnection = .shared) {
        self.name = name
        self.types = types
        self.connection = connection
    }

    /// The events from now on, until ``run(propose:perform:onRegistered:)`` ends. A slow reader misses the oldest
    /// events.
    public var events: AsyncStream<Event> { listeners.stream() }

    /// Registers the destination and serves its sessions, one after the other, until the task is cancelled. It then
    /// ends the registration and returns.
    ///
    /// The closures are called one after the other on the caller's actor, and may use its state.
    ///
    /// - Parameters:
    ///   - propose: returns the proposal for a drop at a location. It is called when a session enters, moves or gets
    ///     more items. If it takes longer than half a second, the drop would do nothing.
    ///   - perform: performs the drop. Loads are possible while it runs. The first load has to begin within 5 s; a
    ///     handler that first asks the user calls ``DropSession/extendDropWindow(_:)`` for that. The handler may take
    ///     any time while bytes arrive or ``DropSession/progress`` advances, and 10 minutes without either. When it
    ///     returns, the drop is complete, and so is a move. If it throws, the drop fails and the source keeps all its
    ///     items.
    ///   - onRegistered: called once, as soon as sources can find the destination. A source in another process waits
    ///     for that with ``wait(for:timeout:connection:)``.
    /// If the connection is lost, the sessions end, and the destination is registered again at the next broker.
    ///
    /// - Throws: `refused` if the name is taken, also by another program while the connection was lost; the error of
    ///   the connection if it is closed or cannot be made again. If that happens while a drop is performed, its loads
    ///   fail, and its handler returns before this call does.
    public func run(
        propose: @escaping (any DropSession, DropLocation) async -> DropProposal = { _, _ in
            DropProposal(operation: .copy)
        },
        perform: @escaping (any DropSession, DropLocation) async throws -> Void,
        onRegistered: () -> Void = {}
    ) async throws(PasteboardError) {
        listeners.begin()
        defer { listeners.end() }
        let registration: DropRegistration
        do throws(PasteboardError) {
            registration = try await DropRegistration.register(
                name: name,
                accepting: types,
                connection: connection
            )
        } catch {
            if Task.isCancelled { return }
            throw error
        }
        onRegistered()
        try await registration.serve(Receiver(propose: propose, perform: perform, listeners: listeners))
    }

    private final class Receiver: DropReceiver {
        private let propose: (any DropSession, DropLocation) async -> DropProposal
        private let perform: (any DropSession, DropLocation) async throws -> Void
        private let listeners: DropEventListeners

        init(
            propose: @escaping (any DropSession, DropLocation) async -> DropProposal,
            perform: @escaping (any DropSession, DropLocation) async throws -> Void,
            listeners: DropEventListeners
        ) {
            self.propose = propose
            self.perform = perform
            self.listeners = listeners
        }

        func propose(_ session: RemoteDropSession, at location: DropLocation, isEntry: Bool) async -> DropProposal? {
            if isEntry { listeners.tell(.entered(session)) }
            listeners.tell(.updated(session, location))
            return await propose(session, location)
        }

        func exited(_ session: RemoteDropSession) async {
            listeners.tell(.exited(session))
        }

        func perform(
            _ session: RemoteDropSession,
            at location: DropLocation,
            operation: DropOperation
        ) async throws {
            try await perform(session, location)
        }

        func ended(_ session: RemoteDropSession) async {
            listeners.tell(.ended(session, session.outcome ?? .cancelled))
        }
    }
}
