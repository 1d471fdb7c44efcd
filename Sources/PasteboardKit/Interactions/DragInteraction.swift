/// Lets drags begin in a view: its delegate gives the items, and hears what becomes of them.
@MainActor
public final class DragInteraction: Interaction {
    /// Who gives the items. It is not held.
    public private(set) weak var delegate: (any DragInteractionDelegate)?
    /// The view that drags begin in.
    public private(set) weak var view: InteractionView?
    /// Whether drags begin here, and items are added from here.
    public var isEnabled = true

    /// Makes an interaction; ``InteractionView/addInteraction(_:)`` gives it to a view.
    public init(delegate: any DragInteractionDelegate) {
        self.delegate = delegate
    }

    /// Part of being added to a view and removed from one; not for programs to call.
    public func didMove(to view: InteractionView?) {
        self.view = view
    }

    /// - Parameter point: in the view's coordinates.
    func beginDrag(at point: Point) async throws(PasteboardError) -> Drag? {
        guard let view, let delegate else { return nil }
        let drag = Drag(connection: view.outermost.connection)
        drag.place(at: view.convert(point, to: nil))
        let items = delegate.dragInteraction(self, itemsForBeginning: drag)
        guard !items.isEmpty else { return nil }
        drag.prepare(items)

        delegate.dragInteraction(self, sessionWillBegin: drag)
        var options = Drag.Options()
        options.allowsMoveOperation = delegate.dragInteraction(self, sessionAllowsMoveOperation: drag)
        options.isRestrictedToDraggingApplication =
            delegate.dragInteraction(self, sessionIsRestrictedToDraggingApplication: drag)
        options.allowsMoveBetweenProcesses = delegate.dragInteraction(self, sessionAllowsMoveBetweenProcesses: drag)

        let contributors = DragContributors(self)
        drag.observer = contributors
        do {
            try await view.start(drag, options, observer: contributors)
        } catch {
            contributors.session(drag, willEndWith: .cancel)
            contributors.session(drag, didEndWith: .cancel)
            throw error
        }
        return drag
    }

    /// - Parameter point: in the view's coordinates.
    func addItems(to drag: Drag, at point: Point) async throws(PasteboardError) -> Bool {
        guard let delegate else { return false }
        let items = delegate.dragInteraction(self, itemsForAddingTo: drag, withTouchAt: point)
        guard !items.isEmpty else { return false }
        (drag.observer as? DragContributors)?.expect(items, from: self)
        try await drag.add(items)
        return true
    }
}
