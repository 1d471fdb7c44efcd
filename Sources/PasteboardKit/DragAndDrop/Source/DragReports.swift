import PasteboardTransport

/// The observer of a drag. Each call begins after the previous one has returned.
@MainActor
package protocol DragObserver: AnyObject, Sendable {
    /// The drag was moved.
    func sessionDidMove(_ session: Drag)
    /// Items are about to be added.
    func session(_ session: Drag, willAdd items: [DragItem])
    /// The drag was dropped, or was lost. Nothing has been transferred yet.
    func session(_ session: Drag, willEndWith operation: DropOperation)
    /// Called right after `willEndWith`.
    func session(_ session: Drag, didEndWith operation: DropOperation)
    /// A copy or a move is complete. Moved items can be deleted.
    func sessionDidTransferItems(_ session: Drag)
}

/// Notifies the observer of a drag, in order, from one task on the main actor. It keeps the drag alive until the end.
final class DragReports: Sendable {
    enum Report: Sendable {
        case moved(Drag)
        case adding(Drag, [DragItem])
        case ended(Drag, DropOperation)
        case transferred(Drag)
        /// A mark that is resolved after the observer was notified of all earlier reports.
        case mark(PendingResult<Void>)
        case over
    }

    private let queue = EventQueue<Report>()

    init(_ observer: any DragObserver) {
        Task { @MainActor [queue] in
            while let report = await queue.next() {
                switch report {
                case .moved(let drag):
                    observer.sessionDidMove(drag)
                case .adding(let drag, let items):
                    observer.session(drag, willAdd: items)
                case .ended(let drag, let operation):
                    observer.session(drag, willEndWith: operation)
                    observer.session(drag, didEndWith: operation)
                case .transferred(let drag):
                    observer.sessionDidTransferItems(drag)
                case .mark(let result):
                    result.resolve(.success(()))
                case .over:
                    queue.finish()
                }
            }
        }
    }

    deinit {
        queue.finish()
    }

    /// Appends a report without resuming the task that notifies the observer.
    func append(_ report: Report) {
        queue.append(report)
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
