/// What a view is to drag and drop, without a screen: a frame, and a place in a tree.
@MainActor
open class InteractionView {
    /// Where it is in its superview; of an outermost view, where it is in its own coordinates.
    open var frame: Rect
    /// What it lies in.
    public private(set) weak var superview: InteractionView?
    /// What lies in it, the last uppermost.
    public private(set) var subviews: [InteractionView] = []

    /// Makes a view.
    public init(frame: Rect = .zero) {
        self.frame = frame
    }

    /// Puts a view uppermost into this one, out of any other.
    public func addSubview(_ view: InteractionView) {
        view.superview?.subviews.removeAll { $0 === view }
        subviews.append(view)
        view.superview = self
    }

    /// A point of the outermost view, in this one's coordinates.
    func converting(_ point: Point) -> Point {
        guard let superview else { return point }
        let outer = superview.converting(point)
        return Point(x: outer.x - frame.origin.x, y: outer.y - frame.origin.y)
    }
}
