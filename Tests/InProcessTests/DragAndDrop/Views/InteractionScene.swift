import PasteboardKit

/// A tree of views with traced delegates: what a test drags in.
///
/// The root is 100 wide and high. It has a source, `a`, and what a test adds.
@MainActor
final class InteractionScene {
    let broker: DragBroker
    let connection: PasteboardConnection
    let trace: InteractionTrace
    let root = InteractionView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let source: TracedSource
    let sourceInteraction: DragInteraction
    private var held: [AnyObject] = []

    /// - Parameter process: the number of the process that it plays; another one for each without.
    init(_ broker: DragBroker, name: String = "a", process: UInt32? = nil, trace: InteractionTrace? = nil) {
        self.broker = broker
        connection = broker.connect(process: process)
        root.connection = connection
        self.trace = trace ?? InteractionTrace()
        source = TracedSource(name, self.trace)
        sourceInteraction = DragInteraction(delegate: source)
        root.addInteraction(sourceInteraction)
    }

    /// A view with a drop interaction, which is the root's own without a frame.
    @discardableResult
    func target(_ name: String, _ frame: Rect? = nil, in parent: InteractionView? = nil) -> Target {
        let target = Target(name, trace, frame.map { InteractionView(frame: $0) } ?? root)
        if target.view !== root { (parent ?? root).addSubview(target.view) }
        held.append(target)
        return target
    }

    func begin() async throws -> PasteboardKit.Drag {
        guard let drag = try await root.beginDrag(at: Point(x: 1, y: 1)) else { throw NoDrag() }
        return drag
    }

    struct NoDrag: Error {}

    /// A view, its interaction, and who holds its delegate.
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
    /// A point of the tree that the drag began in.
    static func here(_ x: Double, _ y: Double) -> DropLocation {
        DropLocation("", point: Point(x: x, y: y))
    }

    /// The tree that the drag began in.
    static let here = DropLocation("")
}
