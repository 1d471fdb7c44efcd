import Foundation
package import PasteboardKit

/// Lets drags begin in a view. Its delegate provides the items and is notified of the drag's events.
@MainActor
public final class DragInteraction: Interaction {
    /// The delegate that provides the items. The reference is weak.
    public private(set) weak var delegate: (any DragInteractionDelegate)?
    /// The view in which drags begin.
    public private(set) weak var view: InteractionView?
    /// Whether drags can begin here, and items can be added from here.
    public var isEnabled = true

    /// Makes an interaction. Add it to a view with ``InteractionView/addInteraction(_:)``.
    public init(delegate: any DragInteractionDelegate) {
        self.delegate = delegate
    }

    /// Called by the library when the interaction is added to a view or removed from one. Programs do not call it.
    public func didMove(to view: InteractionView?) {
        self.view = view
    }

    /// - Parameter point: in the view's coordinates.
    func beginDrag(at point: CGPoint) async throws(PasteboardError) -> Drag? {
        guard let view, let delegate else { return nil }
        let drag = Drag(connection: view.outermost.connection)
        drag.setStart(Point(view.convert(point, to: nil)))
        let items = delegate.dragInteraction(self, itemsForBeginning: drag)
        guard !items.isEmpty else { return nil }
        drag.prepare(items)

        delegate.dragInteraction(self, sessionWillBegin: drag)
        var options = Drag.Options()
        options.allowsMoveOperation = delegate.dragInteraction(self, sessionAllowsMoveOperation: drag)
        options.isRestrictedToDraggingApplication =
            delegate.dragInteraction(self, sessionIsRestrictedToDraggingApplication: drag)
        options.allowsMoveBetweenProcesses = delegate.dragInteraction(self, sessionAllowsMoveBetweenProcesses: drag)

        try await view.start(drag, options, from: self)
        return drag
    }

    /// - Parameter point: in the view's coordinates.
    func addItems(to drag: Drag, at point: CGPoint) async throws(PasteboardError) -> Bool {
        guard let delegate else { return false }
        let items = delegate.dragInteraction(self, itemsForAddingTo: drag, withTouchAt: point)
        guard !items.isEmpty else { return false }
        try await drag.add(items, from: self)
        return true
    }
}

extension DragInteraction: DragContributor {
    package func handle(_ event: DragEvent, of drag: Drag, addedBy contributor: (any DragContributor)?) {
        switch event {
        case .moved: delegate?.dragInteraction(self, sessionDidMove: drag)
        case .willAdd(let items):
            let adding = contributor as? DragInteraction ?? self
            delegate?.dragInteraction(self, session: drag, willAdd: items, for: adding)
        case .willEnd(let operation): delegate?.dragInteraction(self, session: drag, willEndWith: operation)
        case .didEnd(let operation): delegate?.dragInteraction(self, session: drag, didEndWith: operation)
        case .transferred: delegate?.dragInteraction(self, sessionDidTransferItems: drag)
        }
    }
}
