import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A destination's registration at the broker, and the sessions at it. Releasing it ends the registration.
package final class DropRegistration: Sendable {
    /// The names of the destinations that are only for sessions of this process. The broker lists them to no other
    /// process.
    static let ownNames = Lock(Set<String>())

    private let name: String
    private let request: DestinationRequest
    private let connection: PasteboardConnection
    private let live: LiveConnection
    /// The sessions that are served, by their streams.
    private let sessions = Lock<[UInt64: Service]>([:])

    /// One session that is served.
    private struct Service {
        let session: RemoteDropSession
        var isPerforming = false
        /// Whether the session ended while its drop was being performed.
        var isOver = false
    }

    private init(
        _ name: String,
        _ request: DestinationRequest,
        _ connection: PasteboardConnection,
        _ live: LiveConnection
    ) {
        self.name = name
        self.request = request
        self.connection = connection
        self.live = live
    }

    deinit {
        request.cancel(over: live)
        _ = Self.ownNames.withLock { $0.remove(name) }
    }

    /// Registers a destination. Its sessions wait until ``serve(_:)`` or ``serveSimultaneously(_:)`` is called.
    ///
    /// - Parameters:
    ///   - types: the accepted types.
    ///   - isOwnProcess: whether the destination is only for sessions of this process.
    ///   - allowsSimultaneousSessions: whether a second session may enter before the first has ended.
    /// - Throws: `refused` if the name is taken.
    package static func register(
        name: String,
        accepting types: [UniformType],
        isOwnProcess: Bool = false,
        allowsSimultaneousSessions: Bool = false,
        connection: PasteboardConnection
    ) async throws(PasteboardError) -> DropRegistration {
        var destination = Destination()
        destination.name = name
        destination.accepts = types.map { type in
            var accept = Accept()
            accept.type = type.identifier
            return accept
        }
        if isOwnProcess { destination.isOwnProcess = true }
        if allowsSimultaneousSessions { destination.allowsSimultaneousSessions = true }
        let call = Call("the registration of destination \(name)")
        let live = try await connection.liveConnection(for: call)
        let request = DestinationRequest()
        try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request) { [destination] client throws(Failure) in try client.open(destination) }
        }
        if isOwnProcess { _ = ownNames.withLock { $0.insert(name) } }
        return DropRegistration(name, request, connection, live)
    }

    /// Ends the registration and its sessions. The receiver is notified of their ends before ``serve(_:)`` returns.
    package func unregister() {
        request.cancel(over: live)
    }

    /// Calls the receiver, on the caller's actor, until the registration ends. Cancelling the task ends the
    /// registration. While a drop is performed, all other events wait.
    ///
    /// - Throws: the error that ended the connection.
    package func serve(_ receiver: any DropReceiver) async throws(PasteboardError) {
        let failure = await takeEvents(for: receiver) { session, operation, location in
            await self.perform(session, operation, at: location, by: receiver)
        }
        try await finish(failure, for: receiver)
    }

    /// Calls the receiver as ``serve(_:)`` does, but other sessions continue while a drop is performed.
    ///
    /// The drops begin in the order in which the broker has reported them.
    @MainActor
    package func serveSimultaneously(_ receiver: any DropReceiver & Sendable) async throws(PasteboardError) {
        let drops = RunningDrops()
        let failure = await takeEvents(for: receiver) { session, operation, location in
            drops.run { await self.perform(session, operation, at: location, by: receiver) }
        }
        // A drop that is still being performed can no longer succeed.
        await drops.cancel()
        try await finish(failure, for: receiver)
    }

    /// - Returns: the failure that ended the connection; nil if the registration was ended.
    private func takeEvents(
        for receiver: any DropReceiver,
        perform: (RemoteDropSession, DropOperation, DropLocation) async -> Void
    ) async -> Failure? {
        var failure: Failure?
        while let event = await request.queue.next() {
            switch event {
            case .lost(let reason):
                failure = reason
                request.queue.finish()
            case .session(let visited, .perform(let operation, let location), let window):
                guard let session = begin(visited, window, at: location) else { continue }
                await perform(session, DropOperation(operation), DropLocation(location))
            case .session(let visited, let step, let window):
                await take(step, of: visited, window, for: receiver)
            }
        }
        return failure
    }

    private func finish(_ failure: Failure?, for receiver: any DropReceiver) async throws(PasteboardError) {
        let left = sessions.withLock { sessions in
            defer { sessions = [:] }
            return sessions.values.map(\.session)
        }
        for session in left { await session.confirm() }
        request.cancel(over: live)
        for session in left {
            session.window.sessionEnded(session.abandoned)
            await end(session, for: receiver)
        }
        if let failure { throw PasteboardError(failure) }
    }

    private func take(
        _ step: DestinationSession.Step,
        of visited: DestinationSession,
        _ window: DropWindow,
        for receiver: any DropReceiver
    ) async {
        switch step {
        case .none, .perform:
            break
        case .propose(let sequence, let location, let isEntry):
            let session = session(visited, window)
            let dropLocation = DropLocation(location)
            session.update(visited, at: dropLocation)
            let isNew = isEntry || !session.isInside
            let proposal = await receiver.propose(session, at: dropLocation, isEntry: isNew)
            if proposal != nil { session.enter() }
            let message = proposal?.message(sequence) ?? .declining(sequence)
            live.tell { $0.propose(message, on: visited.stream) }
        case .exited:
            guard let session = sessions.withLock({ $0[visited.stream]?.session }), session.leave() else { return }
            await receiver.exited(session)
        case .over:
            let session = sessions.withLock { sessions -> RemoteDropSession? in
                if sessions[visited.stream]?.isPerforming == true {
                    sessions[visited.stream]?.isOver = true
                    return nil
                }
                return sessions.removeValue(forKey: visited.stream)?.session
            }
            if let session { await end(session, for: receiver) }
        }
    }

    private func session(_ visited: DestinationSession, _ window: DropWindow) -> RemoteDropSession {
        if let known = sessions.withLock({ $0[visited.stream]?.session }) { return known }
        let session = RemoteDropSession(visited, window, connection: connection, live: live)
        sessions.withLock { $0[visited.stream] = Service(session: session) }
        return session
    }

    // MARK: The drop

    /// - Returns: the session to perform; nil if no proposal was made for it, so that the receiver does not know it.
    private func begin(
        _ visited: DestinationSession,
        _ window: DropWindow,
        at location: Location
    ) -> RemoteDropSession? {
        let session = session(visited, window)
        session.update(visited, at: DropLocation(location))
        guard session.leave() else { return nil }
        sessions.withLock { $0[visited.stream]?.isPerforming = true }
        return session
    }

    private func perform(
        _ session: RemoteDropSession,
        _ operation: DropOperation,
        at location: DropLocation,
        by receiver: any DropReceiver
    ) async {
        await session.notifySource()
        await session.perform(operation) {
            try await receiver.perform(session, at: location, operation: operation)
        }
        let isOver = sessions.withLock { sessions -> Bool in
            sessions[session.stream]?.isPerforming = false
            guard sessions[session.stream]?.isOver == true else { return false }
            sessions[session.stream] = nil
            return true
        }
        if isOver { await end(session, for: receiver) }
    }

    private func end(_ session: RemoteDropSession, for receiver: any DropReceiver) async {
        session.window.end()
        if session.leave() { await receiver.exited(session) }
        guard session.hasEntered else { return }
        await session.notifySource()
        await receiver.ended(session)
    }
}

extension Proposal {
    /// The message that the receiver cannot handle the session.
    fileprivate static func declining(_ sequence: UInt64) -> Proposal {
        var message = Proposal()
        message.sequence = sequence
        message.operation = .cancel
        message.cannotHandle = true
        return message
    }
}

/// The drops that are performed at the same time. Their tasks begin in the order of the calls, because the main actor runs
/// them in this order; the tasks of a task group would begin on other threads.
@MainActor
private final class RunningDrops {
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var count = 0

    func run(_ body: @escaping @MainActor () async -> Void) {
        count += 1
        let number = count
        tasks[number] = Task {
            await body()
            tasks[number] = nil
        }
    }

    /// Cancels all tasks, and returns when they have ended.
    func cancel() async {
        let left = tasks.values
        for task in left { task.cancel() }
        for task in left { await task.value }
    }
}
