import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A drag that this process has begun. Move it, drop it, and wait for its outcome.
///
///     let drag = try await Drag.begin([DragItem(itemProvider: provider)])
///     try await drag.move(to: DropLocation("places"))
///     try await drag.drop()
///     print(try await drag.outcome())
///
/// Releasing a drag that was not dropped cancels it.
public final class Drag: DragSession {
    /// The operations and destinations that the source allows.
    public struct Options: Sendable {
        /// Whether a destination may propose ``DropOperation/move``.
        public var allowsMoveOperation = true
        /// Whether only this process may be the destination.
        public var isRestrictedToDraggingApplication = false
        /// Whether destinations of other processes may propose a move too. If false, only destinations of this process
        /// may. The source deletes moved items only after ``Outcome/transferred(_:)``.
        public var allowsMoveBetweenProcesses = false

        /// Makes options. By default all destinations may copy, and destinations of this process may move.
        ///
        /// - Parameters:
        ///   - allowsMoveOperation: whether a destination may propose a move.
        ///   - isRestrictedToDraggingApplication: whether only this process may be the destination.
        ///   - allowsMoveBetweenProcesses: whether destinations of other processes may propose a move, too.
        public init(
            allowsMoveOperation: Bool = true,
            isRestrictedToDraggingApplication: Bool = false,
            allowsMoveBetweenProcesses: Bool = false
        ) {
            self.allowsMoveOperation = allowsMoveOperation
            self.isRestrictedToDraggingApplication = isRestrictedToDraggingApplication
            self.allowsMoveBetweenProcesses = allowsMoveBetweenProcesses
        }
    }

    /// The result of a session, as its source and its destinations receive it.
    public enum Outcome: Sendable, CustomStringConvertible {
        /// Nothing was transferred.
        case cancelled
        /// The destination has all the items that it asked for and has confirmed the drop. After a move it has all
        /// items.
        case transferred(DropOperation)
        /// The drop was not completed. The source may delete only ``Drag/deletableItems``.
        case failed(PasteboardError)

        /// The case and its associated value, in one line.
        public var description: String {
            switch self {
            case .cancelled: "cancelled"
            case .transferred(let operation): "transferred(\(operation))"
            case .failed(let error): "failed: \(error)"
            }
        }
    }

    /// A value that this process can read in its own destinations. It is never sent.
    @MainActor public var localContext: Any?
    /// The observer that is notified of the drag's events.
    @MainActor package weak var observer: (any DragObserver)?

    private struct State {
        var options = Options()
        /// The items with which the session will begin.
        var items: [DragItem] = []
        var location: DropLocation?
        /// The destination to which an empty name refers.
        var home: String?
        var session: (request: DragRequest, live: BrokerConnection)?
    }

    private let connection: PasteboardConnection
    private let additions = CallOrder()
    private let state = Lock(State())

    /// Creates a drag that has not begun, so that its items can be collected first.
    package init(connection: PasteboardConnection) {
        self.connection = connection
    }

    deinit {
        guard let (request, live) = state.withLock({ $0.session }), !request.isDropped else { return }
        request.cancel(over: live)
    }

    /// Sets the location at which the drag begins: a point of an outermost view.
    package func setStart(_ point: Point) {
        state.withLock { $0.location = DropLocation("", point: point) }
    }

    /// Sets the items with which the session will begin.
    package func prepare(_ items: [DragItem]) {
        state.withLock { $0.items = items }
    }

    /// Begins the session as ``begin(_:options:timeout:connection:)`` does. Call it once.
    ///
    /// - Parameters:
    ///   - home: the destination to which an empty name refers.
    ///   - observer: an object that is notified of the session's events. It keeps the drag alive until the session
    ///     ends.
    ///   - timeout: the maximum duration of the call.
    package func start(
        _ options: Options,
        home: String? = nil,
        observer: (any DragObserver)? = nil,
        timeout: Duration? = nil
    ) async throws(PasteboardError) {
        let items = state.withLock { state in
            state.options = options
            state.home = home
            return state.items
        }
        let request = try DragRequest(items, reports: observer.map(DragReports.init))
        let call = Call("the beginning of the drag", timeout: timeout)
        let live = try await connection.liveConnection(for: call)
        try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request, answering: request.answerer) { client throws(Failure) in
                try request.send(options, &client)
            }
        }
        state.withLock { $0.session = (request, live) }
        request.attach(self, connection, epoch: live.epoch ?? 0)
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - items: the items, at least one and at most 512. Each must have a representation.
    ///   - options: the operations and destinations to allow.
    ///   - timeout: the maximum duration of the call, which includes connecting. Without it, the call fails if the
    ///     broker does not answer for 15 s.
    ///   - connection: the connection to the broker.
    /// - Throws: the broker's reason for refusing the session; `timeout`; `cancelled` if the task is cancelled. After
    ///   an error there is no session.
    public static func begin(
        _ items: [DragItem],
        options: Options = Options(),
        timeout: Duration? = nil,
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) -> Drag {
        let drag = Drag(connection: connection)
        drag.prepare(items)
        try await drag.start(options, timeout: timeout)
        return drag
    }

    // MARK: Properties

    /// The items, in order. Added items follow the others.
    public var items: [DragItem] {
        let (items, request) = state.withLock { ($0.items, $0.session?.request) }
        return request?.items ?? items
    }

    /// Whether a destination of this process may propose a move.
    public var allowsMoveOperation: Bool { state.withLock { $0.options.allowsMoveOperation } }

    /// Whether only this process may be the destination.
    public var isRestrictedToDraggingApplication: Bool {
        state.withLock { $0.options.isRestrictedToDraggingApplication }
    }

    /// The location to which the session was last moved. Before the first move, it is the point at which a drag began
    /// in a view.
    public var location: DropLocation? { state.withLock { $0.location } }

    /// The items that the destination has, after the end of the session. After a failed move these are only the items
    /// that the source may delete nevertheless. After a failed copy they are the items that arrived.
    public var transferredItems: [DragItem] {
        state.withLock { $0.session?.request }?.transferredItems ?? []
    }

    /// The items that the source may delete, after the end of the session. After a complete move these are all items.
    /// After a move of which the destination left some items, these are the ones that it took. Otherwise there are
    /// none.
    public var deletableItems: [DragItem] {
        guard let request = state.withLock({ $0.session?.request }), request.isMove else { return [] }
        return request.transferredItems
    }

    // MARK: Moving and dropping

    /// Adds items after the existing ones. The destination that the session is over is asked for a new proposal.
    ///
    /// - Throws: `invalid-argument` if an item cannot be added, or if the session was dropped; the broker's reason for
    ///   refusing the items; the error that ended the session; `cancelled` if the task is cancelled: then the items may
    ///   have been added or not. An error of this call does not end the session.
    public func add(_ items: [DragItem]) async throws(PasteboardError) {
        let call = Call("the addition of items", besides: "the drag")
        try connection.checkProcess()
        // The handlers of the items are found by their order.
        try await additions.acquire(for: call)
        let (request, live): (DragRequest, BrokerConnection)
        let stream: BrokerStream
        do throws(PasteboardError) {
            (request, live) = try session(for: "items were added")
            let promises = try DragRequest.promises(of: items, after: request.items.count)
            request.report(.willAdd(items), of: self)
            await request.reports?.tell()
            var drag = PasteboardWire.Drag()
            drag.handle = request.handle ?? 0
            request.beginAdding(items, promises)
            stream = live.open { client throws(Failure) in try client.open(drag, promises) }
        } catch {
            additions.release()
            throw error
        }
        try await stream.added(for: call) { [additions] isMade in
            request.endAdding(isMade: isMade, over: live)
            additions.release()
        }
    }

    /// Directs the session to a destination, or to another location in its current destination.
    ///
    /// - Parameters:
    ///   - location: the destination and a location in it; nil: no destination.
    ///   - timeout: the maximum duration of the call.
    /// - Returns: the destination's proposal for a drop there. If several moves are under way at once, it may be the
    ///   answer to a later one. The operation is ``DropOperation/cancel`` if the destination takes none of the items,
    ///   proposes to do nothing, proposes an operation that is not allowed, or does not answer in time.
    /// - Throws: `nothing-here` if there is no such destination; `refused` if the destination has another session or
    ///   releases this one; `invalid-argument` if the location is invalid or the session was dropped; `timeout`, or
    ///   `cancelled` if the task is cancelled: in both cases the session may have been moved or not; the error that
    ///   ended the session. After every other error the session continues.
    @discardableResult
    public func move(
        to location: DropLocation?,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> DropProposal {
        let (request, live) = try session(for: "it was moved")
        let home = state.withLock { $0.home }
        var message: Location?
        if let location { message = try Location(location, home: home) }
        state.withLock { $0.location = location }
        guard let result = request.move(to: message, over: live) else {
            // The session may have been dropped meanwhile, which has its own error.
            _ = try session(for: "it was moved")
            throw request.endError
        }
        request.report(.moved, of: self)
        let proposal = try await result.value(for: Call("the move of the drag", besides: "the drag", timeout: timeout))
        await request.reports?.tell()
        if let refusal = proposal.refusal, refusal.code == .nothingHere || refusal.code == .refused {
            throw PasteboardError(refusal)
        }
        return DropProposal(proposal)
    }

    /// Directs the session to a destination, and waits for the destination if it does not exist yet.
    ///
    /// - Parameters:
    ///   - location: the destination and a location in it.
    ///   - destinationTimeout: the longest time to wait for the destination. The total time before the drop is limited
    ///   to 10 minutes.
    /// - Returns: as ``move(to:timeout:)``.
    /// - Throws: as ``move(to:timeout:)`` and ``DropDestination/wait(for:timeout:connection:)``; `nothing-here` if the
    ///   destination does not exist when the time has passed.
    @discardableResult
    public func move(
        to location: DropLocation,
        destinationTimeout: Duration
    ) async throws(PasteboardError) -> DropProposal {
        let (request, live) = try session(for: "it was moved")
        let milliseconds = Int(clamping: destinationTimeout.loadMilliseconds)
        var changes = live.watchDestinations(until: MonotonicClock.deadline(milliseconds: milliseconds))
        // A session that is dropped or ends is not moved any more, which the next attempt finds out.
        let end = Task { [changes = changes.shared] in
            if (try? await request.lastMoveMade.value(for: Call("the drag"))) != nil { changes.nudge() }
        }
        defer { end.cancel() }
        // Why no change follows. The destination may have been registered at the last moment.
        var watchEnd: Failure?
        while true {
            do throws(PasteboardError) {
                return try await move(to: location)
            } catch {
                guard error.code == .nothingHere, !location.destination.isEmpty else { throw error }
                if let watchEnd { throw watchEnd.code == .timeout ? error : PasteboardError(watchEnd) }
            }
            do throws(RequestFailure) { try await changes.destinationsChanged() } catch { watchEnd = error.failure }
        }
    }

    /// Drops the session at its current location.
    ///
    /// - Returns: the operation of the drop, before anything has been transferred. Later calls return the same.
    /// - Throws: the error that ended the session before the drop; `cancelled` if the task is cancelled: the session is
    ///   dropped nevertheless.
    @discardableResult
    public func drop() async throws(PasteboardError) -> DropOperation {
        let (request, live) = try session()
        guard let result = request.drop(over: live) else { return try request.dropResult() }
        let operation = try await result.value(for: Call("the wait for the drop", besides: "the drop"))
        await request.reports?.tell()
        return operation
    }

    /// Cancels the session. A drop that is not complete is abandoned. It does nothing after the end of the session.
    public func cancel() async {
        guard let (request, live) = state.withLock({ $0.session }) else { return }
        request.cancel(over: live)
        await request.reports?.tell()
    }

    /// Waits for the end of the session. After that, ``deletableItems`` contains the items that the source may delete.
    ///
    /// - Throws: `cancelled`, at once, if the task is cancelled before the end; the session continues.
    public func outcome() async throws(PasteboardError) -> Outcome {
        guard let (request, _) = state.withLock({ $0.session }) else { return .cancelled }
        let outcome = try await request.end.value(for: Call("the wait for the drag's outcome", besides: "the drag"))
        await request.reports?.tell()
        return outcome
    }

    private func session() throws(PasteboardError) -> (DragRequest, BrokerConnection) {
        guard let session = state.withLock({ $0.session }) else {
            throw PasteboardError(.invalidArgument, message: "the drag has not begun")
        }
        return session
    }

    private func session(for what: String) throws(PasteboardError) -> (DragRequest, BrokerConnection) {
        let (request, live) = try session()
        guard !request.isDropped else {
            throw PasteboardError(.invalidArgument, message: "the drag was dropped before \(what); begin another one")
        }
        return (request, live)
    }
}

extension DropProposal {
    init(_ proposal: Proposal) {
        let operation = proposal.operation ?? .absent
        // With a refusal, the operation is not the destination's proposal, whatever its number.
        self.init(operation: proposal.refusal == nil ? DropOperation(operation) : .cancel)
        isPrecise = proposal.isPrecise ?? false
        prefersFullSizePreview = proposal.prefersFullSizePreview ?? false
        refusal = proposal.refusal.map { PasteboardError($0) }
        if refusal == nil, proposal.cannotHandle == true {
            refusal = PasteboardError(.typeUnavailable, message: "the destination accepts none of the items")
        }
    }

    func message(_ sequence: UInt64) -> Proposal {
        var message = Proposal()
        message.sequence = sequence
        message.operation = operation.message
        if isPrecise { message.isPrecise = true }
        if prefersFullSizePreview { message.prefersFullSizePreview = true }
        return message
    }
}
