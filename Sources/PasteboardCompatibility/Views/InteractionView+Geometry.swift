public import Foundation
public import PasteboardKit

extension DragDropSession {
    /// Returns the session's location in the coordinates of a view of the destination. Returns the view's origin if the
    /// session has no location, or only a row.
    @MainActor
    public func location(in view: InteractionView) -> CGPoint {
        location?.point.map { view.converting(CGPoint($0)) } ?? .zero
    }
}

// The positions of views, and the views at a point.
extension InteractionView {
    /// The view's size, at an origin of zero.
    public var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }

    /// Returns whether this view is `view` or a descendant of it.
    public func isDescendant(of view: InteractionView) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === view }
    }

    /// Converts a point of this view to the coordinates of another view in the same tree; nil is the outermost view.
    public func convert(_ point: CGPoint, to view: InteractionView?) -> CGPoint {
        let outer = sequence(first: self, next: \.superview).reduce(point) { point, view in
            guard view.superview != nil else { return point }
            return CGPoint(x: point.x + view.frame.origin.x, y: point.y + view.frame.origin.y)
        }
        return view?.converting(outer) ?? outer
    }

    /// Converts a point of another view in the same tree to this view's coordinates; nil is the outermost view.
    public func convert(_ point: CGPoint, from view: InteractionView?) -> CGPoint {
        converting(view?.convert(point, to: nil) ?? point)
    }

    /// Returns the deepest view at a point of this view, which may be this view itself. Where subviews overlap, the
    /// uppermost one counts. Disabled views and their subviews are skipped. Returns nil if this view is disabled.
    public func hitTest(_ point: CGPoint) -> InteractionView? {
        guard isUserInteractionEnabled else { return nil }
        for view in subviews.reversed() where view.frame.contains(point) {
            let inner = CGPoint(x: point.x - view.frame.origin.x, y: point.y - view.frame.origin.y)
            if let hit = view.hitTest(inner) { return hit }
        }
        return self
    }

    /// Converts a point of the outermost view to this view's coordinates.
    func converting(_ point: CGPoint) -> CGPoint {
        guard let superview else { return point }
        let outer = superview.converting(point)
        return CGPoint(x: outer.x - frame.origin.x, y: outer.y - frame.origin.y)
    }

    /// The root of the tree to which this view belongs.
    package var outermost: InteractionView {
        superview?.outermost ?? self
    }

    /// Returns the views at a point of this view, from the deepest one to this view; none if this view is disabled.
    func views(at point: CGPoint) -> [InteractionView] {
        var views: [InteractionView] = []
        for view in sequence(first: hitTest(point), next: { $0?.superview }) {
            guard let view else { break }
            views.append(view)
            if view === self { break }
        }
        return views
    }

    /// This view and its descendants, without disabled views and their descendants. A view precedes its subviews, and
    /// upper subviews precede lower ones.
    var enabledViews: [InteractionView] {
        guard isUserInteractionEnabled else { return [] }
        return [self] + subviews.reversed().flatMap(\.enabledViews)
    }
}
