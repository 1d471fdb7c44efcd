// Where views are, and which of them is at a point.
extension InteractionView {
    /// Whether it is a view, or lies in it, at whatever depth.
    public func isDescendant(of view: InteractionView) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === view }
    }

    /// A point of this view, in the coordinates of another one of the same tree; without one, of the outermost.
    public func convert(_ point: Point, to view: InteractionView?) -> Point {
        let outer = sequence(first: self, next: \.superview).reduce(point) { point, view in
            guard view.superview != nil else { return point }
            return Point(x: point.x + view.frame.origin.x, y: point.y + view.frame.origin.y)
        }
        return view?.converting(outer) ?? outer
    }

    /// A point of another view of the same tree, or without one of the outermost, in this one's coordinates.
    public func convert(_ point: Point, from view: InteractionView?) -> Point {
        converting(view?.convert(point, to: nil) ?? point)
    }

    /// The deepest view at a point of this one, or this one itself; of views side by side the uppermost. Disabled ones and
    /// what lies in them are not there: nil if this one is.
    public func hitTest(_ point: Point) -> InteractionView? {
        guard isUserInteractionEnabled else { return nil }
        for view in subviews.reversed() where view.frame.contains(point) {
            let inner = Point(x: point.x - view.frame.origin.x, y: point.y - view.frame.origin.y)
            if let hit = view.hitTest(inner) { return hit }
        }
        return self
    }

    /// A point of the outermost view, in this one's coordinates.
    func converting(_ point: Point) -> Point {
        guard let superview else { return point }
        let outer = superview.converting(point)
        return Point(x: outer.x - frame.origin.x, y: outer.y - frame.origin.y)
    }

    /// The view that this one lies in, at whatever depth, and that lies in none; itself, if it does not.
    package var outermost: InteractionView {
        superview?.outermost ?? self
    }

    /// The views at a point of this one, the deepest first, this one last; none, if it is disabled.
    func views(at point: Point) -> [InteractionView] {
        var views: [InteractionView] = []
        for view in sequence(first: hitTest(point), next: { $0?.superview }) {
            guard let view else { break }
            views.append(view)
            if view === self { break }
        }
        return views
    }

    /// This view and all that lie in it, the outer ones first and of those side by side the uppermost, without disabled ones
    /// and what lies in them.
    var enabledViews: [InteractionView] {
        guard isUserInteractionEnabled else { return [] }
        return [self] + subviews.reversed().flatMap(\.enabledViews)
    }
}
