/// A drag that this process has begun, held like a finger holds it: move it, drop it, see what became of it.
///
///     let drag = try await Drag.begin([DragItem(itemProvider: provider)])
///     try await drag.move(to: DropLocation("places"))
///     try await drag.drop()
///     print(await drag.outcome())
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

    /// What has become of a session.
    public enum Outcome: Sendable {
        /// Nothing was transferred.
        case cancelled
        /// The destination has all that it asked for, and said that it is complete; after a move: all there is.
        case transferred(DropOperation)
        /// It was not completed. Nothing may be deleted but ``Drag/transferredItems``.
        case failed(PasteboardError)
    }

    /// Whatever this process wants to find again in its own destinations; never sent.
    @MainActor public var localContext: Any?

    package init(connection: PasteboardConnection) {
    }

    package func prepare(_ items: [DragItem]) {
    }

    package func start(
        _ options: Options,
        home: String? = nil,
        observer: (any DragObserver)? = nil
    ) async throws(PasteboardError) {
        throw .cancelled
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - items: at least one, each with at least one representation; at most 512.
    ///   - options: what is allowed.
    ///   - connection: the way to the broker.
    /// - Throws: what refused it. If the task is cancelled, `cancelled`.
    public static func begin(
        _ items: [DragItem],
        options: Options = Options(),
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) -> Drag {
        let drag = Drag(connection: connection)
        drag.prepare(items)
        try await drag.start(options)
        return drag
    }

    public var items: [DragItem] { [] }
    public var allowsMoveOperation: Bool { true }
    public var isRestrictedToDraggingApplication: Bool { false }
    @MainActor public func location(in view: InteractionView) -> Point { .zero }

    /// After the outcome: the items that the destination has. After a failed move only those that may be deleted all the
    /// same.
    public var transferredItems: [DragItem] { [] }

    /// Adds items behind those that are there; the destination it is over is asked again.
    ///
    /// - Throws: `invalid-argument` for what cannot be added, or once it was dropped; what refused it. The session goes on as
    ///   it was.
    public func add(_ items: [DragItem]) async throws(PasteboardError) {
    }

    /// Directs the session to a destination, or elsewhere in it.
    ///
    /// - Parameter location: nil: over nothing.
    /// - Returns: what a drop would do there. Where several moves are under way at once, it may be the answer to a later one.
    ///   A destination that takes nothing of the session, declines or does not answer in time does nothing:
    ///   ``DropOperation/cancel``.
    /// - Throws: `nothing-here` if there is no such destination; `refused` if it has another session; `invalid-argument` once
    ///   it was dropped; what has ended the session. The session goes on after the first two.
    @discardableResult
    public func move(to location: DropLocation?) async throws(PasteboardError) -> DropProposal {
        throw .cancelled
    }

    /// Lets go of the session where it is.
    ///
    /// - Returns: what the drop does, before anything has been transferred.
    /// - Throws: what has ended the session before.
    @discardableResult
    public func drop() async throws(PasteboardError) -> DropOperation {
        .cancel
    }

    /// Withdraws the session. What has been dropped and is on its way is not transferred.
    public func cancel() async {
    }

    /// Returns once nothing can happen to the session any more. What was moved may be deleted on
    /// ``Outcome/transferred(_:)`` alone. Cancelling the task does not end the wait.
    public func outcome() async -> Outcome {
        .cancelled
    }
}
