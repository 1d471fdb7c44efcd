import PasteboardCompatibility
import PasteboardKit

/// A tree of views with traced delegates, in which a test drags.
///
/// The root is 100 wide and high. It has the source `a` and the interactions that a test adds.
@MainActor
final class InteractionScene {
    let connection: PasteboardConnection
    let trace: InteractionTrace
    let root = InteractionView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let source: TracedSource
    let sourceInteraction: DragInteraction
    private var held: [AnyObject] = []

    init(_ broker: DragBroker, name: String = "a", trace: InteractionTrace? = nil) {
        connection = broker.connect()
        root.connection = connection
        self.trace = trace ?? InteractionTrace()
        source = TracedSource(name, self.trace)
        sourceInteraction = DragInteraction(delegate: source)
        root.addInteraction(sourceInteraction)
    }

    /// Adds a view with a drop interaction. Without a frame the root itself gets the interaction.
    @discardableResult
    func target(_ name: String, _ frame: CGRect? = nil, in parent: InteractionView? = nil) -> Target {
        let target = Target(name, trace, frame.map { InteractionView(frame: $0) } ?? root)
        if target.view !== root { (parent ?? root).addSubview(target.view) }
        held.append(target)
        return target
    }

    func begin() async throws -> PasteboardKit.Drag {
        guard let drag = try await root.beginDrag(at: CGPoint(x: 1, y: 1)) else { throw NoDrag() }
        return drag
    }

    struct NoDrag: Error {}

    /// A view, its interaction, and a strong reference to its delegate.
    @MainActor
    final class Target {
        let view: InteractionView
        let interaction: DropInteraction
        var delegate: TracedTarget?

        init(_ name: String, _ trace: InteractionTrace, _ view: InteractionView) {
            let delegate = TracedTarget(name, trace)
            self.delegate = delegate
            self.view = view
            interaction = DropInteraction(delegate: delegate)
            view.addInteraction(interaction)
        }
    }
}

extension DropLocation {
    /// A point in the tree in which the drag began.
    static func here(_ x: Double, _ y: Double) -> DropLocation {
        DropLocation("", point: Point(x: x, y: y))
    }

    /// The tree in which the drag began, without a point.
    static let here = DropLocation("")
}
