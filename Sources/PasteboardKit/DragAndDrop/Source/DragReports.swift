import PasteboardTransport

/// An event of a drag, for those who contribute items to it.
package enum DragEvent: Sendable {
    /// The drag was moved.
    case moved
    /// Items are about to be added.
    case willAdd([DragItem])
    /// The drag was dropped, or was lost. Nothing has been transferred yet.
    case willEnd(DropOperation)
    /// Follows `willEnd` directly.
    case didEnd(DropOperation)
    /// A copy or a move is complete. Moved items can be deleted.
    case transferred
}

/// The observer of a drag. Each call begins after the previous one has returned.
@MainActor
package protocol DragObserver: AnyObject, Sendable {
    func handle(_ event: DragEvent, of drag: Drag)
}

/// Notifies the observer of a drag, in order, from one task on the main actor. It keeps the drag alive until the end.
final class DragReports: Sendable {
    private enum Report {
        case event(DragEvent, Drag)
        /// Two events, between which nothing else runs on the main actor.
        case ended(DropOperation, Drag)
        /// A mark that is resolved after the observer was notified of all earlier reports.
        case mark(PendingResult<Void>)
        case over
    }

    private let queue = EventQueue<Report>()

    init(_ observer: any DragObserver) {
        Task { @MainActor [queue] in
            while let report = await queue.next() {
                switch report {
                case .event(let event, let drag): observer.handle(event, of: drag)
                case .ended(let operation, let drag):
                    observer.handle(.willEnd(operation), of: drag)
                    observer.handle(.didEnd(operation), of: drag)
                case .mark(let result): result.resolve(.success(()))
                case .over: queue.finish()
                }
            }
        }
    }

    deinit {
        queue.finish()
    }

    /// Appends an event without resuming the task that notifies the observer.
    func append(_ event: DragEvent, of drag: Drag) {
        queue.append(.event(event, drag))
    }

    func appendEnd(with operation: DropOperation, of drag: Drag) {
        queue.append(.ended(operation, drag))
    }

    func finishSoon() {
        queue.append(.over)
    }

    func wake() {
        queue.wake()
    }

    /// Returns after the observer was notified of all earlier reports.
    func tell() async {
        let mark = PendingResult<Void>()
        guard queue.append(.mark(mark)) else { return }
        queue.wake()
        try? await mark.value(onCancel: {})
    }
}
