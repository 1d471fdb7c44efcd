import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A destination's registration at the broker, and the sessions at it. Releasing it ends the registration.
package final class DropRegistration: Sendable {
    /// The names of the destinations that are only for sessions of this process. The broker lists them to no other
    /// process.
    static let ownNames = Lock(Set<String>())

    private let name: String
    private let request: StandingDestination
    private let connection: PasteboardConnection
    /// The sessions that are served. The number of a stream may recur after a lost connection.
    private let sessions = Lock<[ObjectIdentifier: RemoteDropSession]>([:])

    private init(
        _ name: String,
        _ request: StandingDestination,
        _ connection: PasteboardConnection
    ) {
        self.name = name
        self.request = request
        self.connection = connection
    }

    deinit {
        request.cancel()
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
        destination.accepts = types.map { type in Accept(type.identifier) }
        if isOwnProcess { destination.isOwnProcess = true }
        if allowsSimultaneousSessions { destination.allowsSimultaneousSessions = true }
        let call = Call("the registration of destination \(name)")
        let brokers = try connection.brokers()
        let request = StandingDestination(destination)
        try await request.result.value(for: call) {
            request.cancel()
        } start: {
            request.register(at: brokers)
        }
        if isOwnProcess { _ = ownNames.withLock { $0.insert(name) } }
        return DropRegistration(name, request, connection)
    }

    /// Ends the registration and its sessions. The receiver is notified of their ends before ``serve(_:)`` returns.
    package func unregister() {
        request.cancel()
    }

    /// Calls the receiver, on the caller's actor, until the registration ends. Cancelling the task ends the
    /// registration. If the connection is lost, its sessions end and the destination is registered again. While a drop
    /// is performed, all other events wait.
    ///
    /// - Throws: the error that ended the registration: the connection was closed, or another program took the name
    ///   while the connection was lost.
    package func serve(_ receiver: any DropReceiver) async throws(PasteboardError) {
        let failure = await handleEvents(for: receiver) { session, operation, location in
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
        let failure = await handleEvents(for: receiver) { session, operation, location in
            drops.run { await self.perform(session, operation, at: location, by: receiver) }
        }
        // A drop that is still being performed can no longer succeed.
        await drops.cancel()
        try await finish(failure, for: receiver)
    }

    /// - Returns: the error that ended the registration; nil if the program has ended it.
    private func handleEvents(
        for receiver: any DropReceiver,
        perform: (RemoteDropSession, DropOperation, DropLocation) async -> Void
    ) async -> PasteboardError? {
        var failure: PasteboardError?
        while let event = await request.queue.next() {
            switch event {
            case .lost(let reason):
                failure = reason
                request.queue.finish()
            case .session(let session, let visited, .perform(let operation, let location)):
                update(session, visited, at: DropLocation(location))
                guard session.pass({ $0.beginPerforming() }) else { continue }
                await perform(session, DropOperation(operation), DropLocation(location))
            case .session(let session, let visited, let step):
                await handle(step, of: session, visited, for: receiver)
            }
        }
        return failure
    }

    private func finish(_ failure: PasteboardError?, for receiver: any DropReceiver) async throws(PasteboardError) {
        let left = sessions.withLock { exchange(&$0, with: [:]).values }
        for session in left { await session.confirm() }
        request.cancel()
        for session in left {
            session.end(with: session.abandoned)
            await end(session, for: receiver)
        }
        if let failure { throw failure }
    }

    private func handle(
        _ step: DestinationSession.Step,
        of session: RemoteDropSession,
        _ visited: DestinationSession,
        for receiver: any DropReceiver
    ) async {
        switch step {
        case .none, .perform:
            break
        case .propose(let sequence, let location, let isEntry):
            let dropLocation = DropLocation(location)
            update(session, visited, at: dropLocation)
            guard session.declinedVersion != visited.version else { return session.propose(.declining(sequence)) }
            let isNew = isEntry || session.phase != .inside
            let proposal = await receiver.propose(session, at: dropLocation, isEntry: isNew)
            if proposal != nil { session.pass { $0.enter() } } else { session.declinedVersion = visited.version }
            session.propose(proposal?.message(sequence) ?? .declining(sequence))
        case .exited:
            if session.pass({ $0.leave() }) { await receiver.exited(session) }
        case .over:
            if session.pass({ $0.end() }) { await end(session, for: receiver) }
        }
    }

    private func update(_ session: RemoteDropSession, _ visited: DestinationSession, at location: DropLocation) {
        sessions.withLock { $0[ObjectIdentifier(session)] = session }
        session.update(visited, at: location, over: connection)
    }

    // MARK: The drop

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
        if session.pass({ $0.endPerforming() }) { await end(session, for: receiver) }
    }

    private func end(_ session: RemoteDropSession, for receiver: any DropReceiver) async {
        _ = sessions.withLock { $0.removeValue(forKey: ObjectIdentifier(session)) }
        session.window.end()
        if session.pass({ $0.leave() }) { await receiver.exited(session) }
        guard session.phase.isKnown else { return }
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

/// The drops that are performed at the same time. Their tasks begin in the order of the calls, because the main actor
/// runs them in this order; the tasks of a task group would begin on other threads.
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
