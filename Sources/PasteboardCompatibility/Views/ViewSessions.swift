import PasteboardKit

/// The sessions at a tree of views: the drop target that each is over, and the targets that it has entered.
@MainActor
final class ViewSessions: DropReceiver {
    private weak var root: InteractionView?
    private var viewSessions: [ObjectIdentifier: ViewSession] = [:]

    init(root: InteractionView) {
        self.root = root
    }

    @MainActor func propose(_ session: RemoteDropSession, at location: DropLocation, isEntry: Bool) -> DropProposal? {
        let viewSession = viewSessions[ObjectIdentifier(session)] ?? ViewSession(session)
        viewSessions[ObjectIdentifier(session)] = viewSession
        let candidates = targets(at: location)
        if let current = viewSession.current, !candidates.contains(where: { $0 === current }) {
            viewSession.move(to: nil)
        }
        let target = candidates.first { isFree($0, for: viewSession) && viewSession.canHandle($0) }
        if target !== viewSession.current { viewSession.move(to: target) }

        if let target {
            viewSession.wasProposed = true
            return target.sessionDidUpdate(session, at: location)
        }
        // A target that has declined is asked again only after items were added. The whole tree declines only if all
        // targets have: until then the session may move to another view, or a view may be enabled.
        guard let all = root?.allDropTargets, !all.isEmpty, all.allSatisfy(viewSession.isRefused(by:)) else {
            viewSession.wasProposed = true
            return DropProposal(operation: .cancel)
        }
        if !viewSession.wasProposed { viewSessions[ObjectIdentifier(session)] = nil }
        return nil
    }

    @MainActor func exited(_ session: RemoteDropSession) {
        viewSessions[ObjectIdentifier(session)]?.move(to: nil)
    }

    @MainActor func perform(_ session: RemoteDropSession, at location: DropLocation, operation: DropOperation) throws {
        guard let target = viewSessions[ObjectIdentifier(session)]?.current, target.isAttended,
            root?.dropTargets.contains(where: { $0 === target }) ?? false
        else { throw PasteboardError(.refused, message: "the view that was to perform the drop no longer exists") }
        target.performDrop(session, at: location, operation: operation)
        target.concludeDrop(session)
    }

    @MainActor func ended(_ session: RemoteDropSession) {
        guard let viewSession = viewSessions.removeValue(forKey: ObjectIdentifier(session)) else { return }
        for target in viewSession.entered { target.sessionDidEnd(session) }
    }

    /// Returns the targets at a location, in the order in which they are asked. The first that can handle the session
    /// gets it.
    private func targets(at location: DropLocation) -> [any DropTarget] {
        guard let root else { return [] }
        guard let point = location.point else { return root.dropTargets }
        return root.views(at: root.converting(CGPoint(point))).flatMap(\.ownDropTargets)
    }

    private func isFree(_ target: any DropTarget, for viewSession: ViewSession) -> Bool {
        target.allowsSimultaneousDropSessions
            || viewSessions.values.allSatisfy { $0 === viewSession || $0.current !== target }
    }

    /// A session at the tree.
    @MainActor
    private final class ViewSession {
        let session: RemoteDropSession
        /// The target that the session is over.
        private(set) var current: (any DropTarget)?
        /// The targets that the session has entered, in order.
        private(set) var entered: [any DropTarget] = []
        var wasProposed = false
        /// The answers of targets, which are valid for `itemCount` items.
        private var answers: [(target: any DropTarget, canHandle: Bool)] = []
        private var itemCount = 0

        init(_ session: RemoteDropSession) {
            self.session = session
        }

        func canHandle(_ target: any DropTarget) -> Bool {
            guard target.isAttended else { return false }
            if let answer = answer(of: target) { return answer }
            let canHandle = target.canHandle(session)
            answers.append((target, canHandle))
            return canHandle
        }

        /// Returns whether the target has answered that it cannot handle the session.
        func isRefused(by target: any DropTarget) -> Bool {
            answer(of: target) == false
        }

        private func answer(of target: any DropTarget) -> Bool? {
            if session.items.count != itemCount {
                itemCount = session.items.count
                answers = []
            }
            return answers.first { $0.target === target }?.canHandle
        }

        func move(to target: (any DropTarget)?) {
            let left = current
            current = target
            left?.sessionDidExit(session)
            guard let target else { return }
            if !entered.contains(where: { $0 === target }) { entered.append(target) }
            target.sessionDidEnter(session)
        }
    }
}

extension InteractionView {
    var ownDropTargets: [any DropTarget] {
        (ownDropTarget.map { [$0] } ?? []) + interactions.compactMap { $0 as? any DropTarget }
    }

    /// The drop targets of this view and its descendants.
    var allDropTargets: [any DropTarget] {
        ownDropTargets + subviews.flatMap(\.allDropTargets)
    }

    /// The drop targets of this view and its descendants, without disabled views. A view precedes its subviews, and
    /// upper subviews precede lower ones.
    var dropTargets: [any DropTarget] {
        enabledViews.flatMap(\.ownDropTargets)
    }
}
