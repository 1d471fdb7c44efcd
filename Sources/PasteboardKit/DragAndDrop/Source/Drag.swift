import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A drag that this process has begun, held like a finger holds it: move it, drop it, see what became of it.
///
///     let drag = try await Drag.begin([DragItem(itemProvider: provider)])
///     try await drag.move(to: DropLocation("places"))
///     try await drag.drop()
///     print(try await drag.outcome())
///
/// Letting go of one that was not dropped cancels it.
public final class Drag: DragSession {
    /// What the source allows.
    public struct Options: Sendable {
        /// Whether a destination may propose ``DropOperation/move``.
        public var allowsMoveOperation = true
        /// Whether the session is for this process alone.
        public var isRestrictedToDraggingApplication = false
        /// Whether a destination of another process may propose to move, too. The source deletes what was moved only on
        /// ``Outcome/transferred(_:)``; off, a move exists within one process only.
        public var allowsMoveBetweenProcesses = false

        /// Moves within this process, for everybody.
        public init() {}
    }

    /// The result of a session, as its source and its destinations learn it.
    public enum Outcome: Sendable, CustomStringConvertible {
        /// Nothing was transferred.
        case cancelled
        /// The destination has everything that it asked for and has confirmed the drop; after a move: every item.
        case transferred(DropOperation)
        /// The drop was not completed. The source may delete only ``Drag/deletableItems``.
        case failed(PasteboardError)

        /// The case, and what it has, in one line.
        public var description: String {
            switch self {
            case .cancelled: "cancelled"
            case .transferred(let operation): "transferred(\(operation))"
            case .failed(let error): "failed: \(error)"
            }
        }
    }

    /// Whatever this process wants to find again in its own destinations; never sent.
    @MainActor public var localContext: Any?
    /// Who hears what becomes of it.
    @MainActor package weak var observer: (any DragObserver)?

    private struct State {
        var options = Options()
        /// What it will begin with.
        var items: [DragItem] = []
        var location: DropLocation?
        /// What an empty name of a destination stands for.
        var home: String?
        var session: (request: DragRequest, live: LiveConnection)?
    }

    private let connection: PasteboardConnection
    private let state = Lock(State())

    /// One that has not begun, for whoever asks others what it is to begin with.
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

    /// What it is to begin with.
    package func prepare(_ items: [DragItem]) {
        state.withLock { $0.items = items }
    }

    /// Begins the session, once: as ``begin(_:options:timeout:connection:)``.
    ///
    /// - Parameters:
    ///   - home: the destination that an empty name stands for.
    ///   - observer: an object that is notified of the session's events; it keeps the drag alive until the session ends.
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
        _ = try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request) { client throws(Failure) in try request.send(options, &client) }
        }
        state.withLock { $0.session = (request, live) }
        request.attach(self, connection, epoch: live.epoch ?? 0)
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - items: at least one, each with at least one representation; at most 512.
    ///   - options: what is allowed.
    ///   - timeout: the maximum duration of the call, which includes connecting. Without it, the call fails if the broker
    ///     does not answer for 15 s.
    ///   - connection: the connection to the broker.
    /// - Throws: the broker's reason for refusing the session; `timeout`; `cancelled` if the task is cancelled. After an
    ///   error there is no session.
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

    // MARK: What it is

    /// The items, those that were added behind the others.
    public var items: [DragItem] {
        let (items, request) = state.withLock { ($0.items, $0.session?.request) }
        return request?.items ?? items
    }

    /// Whether a destination of this process may propose to move.
    public var allowsMoveOperation: Bool { state.withLock { $0.options.allowsMoveOperation } }

    /// Whether the session is for this process alone.
    public var isRestrictedToDraggingApplication: Bool {
        state.withLock { $0.options.isRestrictedToDraggingApplication }
    }

    /// Where the session was moved to last, in the coordinates of a view of the destination; the view's origin if that
    /// was no point.
    @MainActor
    public func location(in view: InteractionView) -> Point {
        state.withLock { $0.location?.point }.map(view.converting) ?? .zero
    }

    /// The items that the destination has, once the session is over. After a failed move these are only the items that the
    /// source may delete nevertheless; after a failed copy they are the items that arrived.
    public var transferredItems: [DragItem] {
        state.withLock { $0.session?.request }?.transferredItems ?? []
    }

    /// The items that the source may delete, once the session is over: all after a complete move, those that were taken
    /// after a move of which the destination left some, and otherwise none.
    public var deletableItems: [DragItem] {
        guard let request = state.withLock({ $0.session?.request }), request.isMove else { return [] }
        return request.transferredItems
    }

    // MARK: Holding it

    /// Adds items behind those that are there; the destination it is over is asked again.
    ///
    /// - Throws: `invalid-argument` for what cannot be added, and once it was dropped; what refused it; what has ended the
    ///   session; `cancelled` if the task is cancelled, and then they may have been added or not. The session goes on as it
    ///   was.
    public func add(_ items: [DragItem]) async throws(PasteboardError) {
        let (request, live) = try session(for: "items are added")
        let addition = try DragAddition(items, to: request)
        request.report(.adding(self, items))
        await request.reports?.tell()
        let handle = request.handle ?? 0
        // The request is not withdrawn: the broker may already have counted its items.
        try await addition.result.value(for: Call("the addition of items", besides: "the drag")) {
        } start: {
            live.open(addition) { client throws(Failure) in try addition.send(to: handle, &client) }
        }
    }

    /// Directs the session to a destination, or elsewhere in it.
    ///
    /// - Parameters:
    ///   - location: the destination and a location in it; nil: no destination.
    ///   - timeout: the maximum duration of the call.
    /// - Returns: the operation that a drop would do there. If several moves are under way at once, it may be the answer to
    ///   a later one. The operation is ``DropOperation/cancel`` if the destination takes none of the items, proposes to do
    ///   nothing, proposes an operation that is not allowed, or does not answer in time.
    /// - Throws: `nothing-here` if there is no such destination; `refused` if the destination has another session or
    ///   releases this one; `invalid-argument` if the location is invalid or the session was dropped; `timeout`, or
    ///   `cancelled` if the task is cancelled: in both cases the session may have been moved or not; the error that ended
    ///   the session. After every other error the session goes on.
    @discardableResult
    public func move(
        to location: DropLocation?,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> DropProposal {
        let (request, live) = try session(for: "it is moved")
        let home = state.withLock { $0.home }
        var message: Location?
        if let location { message = try Location(location, home: home) }
        state.withLock { $0.location = location }
        guard let result = request.move(to: message, over: live) else {
            // It may have been dropped since.
            _ = try session(for: "it is moved")
            throw request.endError
        }
        request.report(.moved(self))
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
    ///   - duration: the longest time to wait for the destination. A waiting session is not idle, but it may still take no
    ///     longer than 10 minutes in all before its drop.
    /// - Returns: as ``move(to:timeout:)``.
    /// - Throws: as ``move(to:timeout:)`` and ``DropDestination/wait(for:upTo:connection:)``; `nothing-here` if the
    ///   destination does not exist when the time has passed.
    @discardableResult
    public func move(
        to location: DropLocation,
        waitingUpTo duration: Duration
    ) async throws(PasteboardError) -> DropProposal {
        // `ContinuousClock` traps on an instant beyond its range, so a duration that stands for "forever" is capped.
        let end = ContinuousClock.now + min(duration, .seconds(365 * 86_400))
        while true {
            do throws(PasteboardError) {
                return try await move(to: location)
            } catch {
                guard error.code == .nothingHere, !location.destination.isEmpty else { throw error }
                let left = end - .now
                guard left > .zero else { throw error }
                try await wait(for: location.destination, upTo: left)
            }
        }
    }

    private func wait(for destination: String, upTo duration: Duration) async throws(PasteboardError) {
        let (request, _) = try session(for: "it is moved")
        do throws(PasteboardError) {
            try await DropDestination.wait(
                for: destination,
                upTo: duration,
                session: request.handle,
                connection: connection
            )
        } catch {
            // If the session has ended, its error says more than that of the wait.
            _ = try session(for: "it is moved")
            throw request.end.value == nil ? error : request.endError
        }
    }

    /// Lets go of the session where it is.
    ///
    /// - Returns: what the drop does, before anything has been transferred. A second time: the same.
    /// - Throws: what has ended the session before; `cancelled` if the task is cancelled, and then it is dropped all the
    ///   same.
    @discardableResult
    public func drop() async throws(PasteboardError) -> DropOperation {
        let (request, live) = try session()
        guard let result = request.drop(over: live) else { return try request.dropResult() }
        let operation = try await result.value(for: Call("the wait for the drop", besides: "the drop"))
        await request.reports?.tell()
        return operation
    }

    /// Withdraws the session. What has been dropped and is not complete is not transferred. Once it is over, nothing.
    public func cancel() async {
        guard let (request, live) = state.withLock({ $0.session }) else { return }
        request.cancel(over: live)
        await request.reports?.tell()
    }

    /// Waits for the end of the session. After that ``deletableItems`` are the items that the source may delete.
    ///
    /// - Throws: `cancelled`, at once, if the task is cancelled before the end; the session goes on.
    public func outcome() async throws(PasteboardError) -> Outcome {
        guard let (request, _) = state.withLock({ $0.session }) else { return .cancelled }
        let outcome = try await request.end.value(for: Call("the wait for the drag's outcome", besides: "the drag"))
        await request.reports?.tell()
        return outcome
    }

    private func session() throws(PasteboardError) -> (DragRequest, LiveConnection) {
        guard let session = state.withLock({ $0.session }) else {
            throw PasteboardError(.invalidArgument, message: "the drag has not begun")
        }
        return session
    }

    private func session(for what: String) throws(PasteboardError) -> (DragRequest, LiveConnection) {
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
        // What does not come from the destination stands for nothing, whatever its number.
        self.init(operation: proposal.refusal == nil ? DropOperation(operation) : .cancel)
        isPrecise = proposal.isPrecise ?? false
        prefersFullSizePreview = proposal.prefersFullSizePreview ?? false
        refusal = proposal.refusal.map { PasteboardError($0) }
        if refusal == nil, proposal.cannotHandle == true {
            refusal = PasteboardError(.typeUnavailable, message: "the destination takes none of the items as they are")
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
