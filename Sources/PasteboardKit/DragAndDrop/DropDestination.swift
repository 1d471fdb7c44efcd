import PasteboardTransport

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
        /// It is at this place, newly, or has more items.
        case updated(any DropSession, DropLocation)
        /// It is elsewhere.
        case exited(any DropSession)
        /// It is over, however it ended.
        case ended(any DropSession)
    }

    /// What sources direct their sessions to: by the rules of a pasteboard's name.
    public let name: String

    private let types: [UniformType]
    private let connection: PasteboardConnection
    private let listeners = EventListeners()

    /// Names a destination, which exists while it runs.
    ///
    /// - Parameters:
    ///   - name: what sources direct their sessions to.
    ///   - types: what it takes, at most 64; sessions without such an item do not come to it.
    ///   - connection: the way to the broker.
    public init(name: String, accepting types: [UniformType] = [.item], connection: PasteboardConnection = .shared) {
        self.name = name
        self.types = types
        self.connection = connection
    }

    /// What happens from now on, until ``run(propose:perform:)`` ends. Who does not keep up misses the oldest.
    public var events: AsyncStream<Event> { listeners.stream() }

    /// Takes sessions, one after the other, until the task is cancelled; then it gives the name up and returns.
    ///
    /// - Parameters:
    ///   - propose: what a drop would do there. It is asked when a session comes, moves and has more items; after half a
    ///     second without an answer the drop would do nothing.
    ///   - perform: takes the drop. Loads are possible while it runs. Its return completes the drop, and a move with it; if
    ///     it throws, the drop was not taken, and the source keeps everything.
    /// - Throws: `refused` if the name is taken; what has ended the connection, once a drop that is being performed then has
    ///   returned: its loads fail.
    public func run(
        propose: @escaping @Sendable (any DropSession, DropLocation) async -> DropProposal = { _, _ in
            DropProposal(operation: .copy)
        },
        perform: @escaping @Sendable (any DropSession, DropLocation) async throws -> Void
    ) async throws(PasteboardError) {
        listeners.begin()
        defer { listeners.end() }
        let receiver = Receiver(propose: propose, perform: perform, listeners: listeners)
        let registration: DropRegistration
        do throws(PasteboardError) {
            registration = try await DropRegistration.register(
                name: name,
                accepting: types,
                receiver: receiver,
                connection: connection
            )
        } catch {
            if Task.isCancelled { return }
            throw error
        }
        try await registration.serve()
    }

    private final class Receiver: DropReceiver {
        private let propose: @Sendable (any DropSession, DropLocation) async -> DropProposal
        private let perform: @Sendable (any DropSession, DropLocation) async throws -> Void
        private let listeners: EventListeners

        init(
            propose: @escaping @Sendable (any DropSession, DropLocation) async -> DropProposal,
            perform: @escaping @Sendable (any DropSession, DropLocation) async throws -> Void,
            listeners: EventListeners
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
            listeners.tell(.ended(session))
        }
    }
}

/// Who follows the events of a destination.
private final class EventListeners: Sendable {
    private typealias Continuation = AsyncStream<DropDestination.Event>.Continuation

    /// What one may leave unread.
    private static let unread = 256

    private struct State {
        var continuations: [Int: Continuation] = [:]
        var next = 0
        /// A second run is refused, and those who follow the first have nothing to do with that.
        var runs = 0
    }

    private let state = Lock(State())

    func stream() -> AsyncStream<DropDestination.Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.unread)) { continuation in
            let id = state.withLock { state in
                state.next += 1
                state.continuations[state.next] = continuation
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
            }
        }
    }

    func tell(_ event: DropDestination.Event) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    func begin() {
        state.withLock { $0.runs += 1 }
    }

    func end() {
        let continuations = state.withLock { state -> [Continuation] in
            state.runs -= 1
            guard state.runs == 0 else { return [] }
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
