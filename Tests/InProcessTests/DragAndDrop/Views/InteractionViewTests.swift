import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@MainActor
@Suite(.inProcess)
struct InteractionViewTests {
    /// A root with two overlapping sibling views, and a third view inside the second of them.
    private let root = InteractionView(frame: CGRect(x: 7, y: 7, width: 100, height: 100))
    private let left = InteractionView(frame: CGRect(x: 0, y: 0, width: 60, height: 100))
    private let right = InteractionView(frame: CGRect(x: 50, y: 0, width: 50, height: 100))
    private let inner = InteractionView(frame: CGRect(x: 10, y: 20, width: 10, height: 10))

    init() {
        root.addSubview(left)
        root.addSubview(right)
        right.addSubview(inner)
    }

    @Test("a view has one superview, and adding it to another removes it from the first")
    func tree() {
        #expect(root.subviews.map(ObjectIdentifier.init) == [left, right].map(ObjectIdentifier.init))
        left.addSubview(inner)
        #expect(right.subviews.isEmpty)
        #expect(inner.superview === left)
        #expect(inner.isDescendant(of: root))
        #expect(!inner.isDescendant(of: right))
        left.removeFromSuperview()
        #expect(left.superview == nil)
        #expect(!inner.isDescendant(of: root))
        root.addSubview(right)
        #expect(root.subviews.count == 1)
    }

    @Test("a point belongs to the deepest view there, and among siblings to the uppermost")
    func hits() {
        #expect(root.hitTest(CGPoint(x: 10, y: 10)) === left)
        #expect(root.hitTest(CGPoint(x: 55, y: 10)) === right)
        #expect(root.hitTest(CGPoint(x: 65, y: 25)) === inner)
        #expect(root.hitTest(CGPoint(x: 70, y: 25)) === right)
        #expect(root.hitTest(CGPoint(x: -5, y: 500)) === root)
    }

    @Test("a disabled view and its subviews are not found at a point")
    func disabled() {
        right.isUserInteractionEnabled = false
        #expect(root.hitTest(CGPoint(x: 65, y: 25)) === root)
        #expect(root.hitTest(CGPoint(x: 55, y: 25)) === left)
        root.isUserInteractionEnabled = false
        #expect(root.hitTest(CGPoint(x: 10, y: 10)) == nil)
    }

    @Test("points are converted between the views of a tree")
    func conversion() {
        let point = CGPoint(x: 1, y: 2)
        #expect(inner.convert(point, to: nil) == CGPoint(x: 61, y: 22))
        #expect(inner.convert(point, to: right) == CGPoint(x: 11, y: 22))
        #expect(inner.convert(point, to: left) == CGPoint(x: 61, y: 22))
        #expect(inner.convert(CGPoint(x: 61, y: 22), from: nil) == point)
        #expect(inner.convert(CGPoint(x: 11, y: 22), from: right) == point)
        #expect(root.convert(point, to: root) == point)
    }

    @Test("an interaction belongs to one view, and has a reference to it")
    func interactions() {
        let source = TracedSource("a", InteractionTrace())
        let interaction = DragInteraction(delegate: source)
        left.addInteraction(interaction)
        left.addInteraction(interaction)
        #expect(left.interactions.count == 1)
        #expect(interaction.view === left)
        right.addInteraction(interaction)
        #expect(left.interactions.isEmpty)
        #expect(interaction.view === right)
        left.removeInteraction(interaction)
        #expect(interaction.view === right)
        right.removeInteraction(interaction)
        #expect(interaction.view == nil)
    }

    @Test("a program's own interaction is notified when it is added to a view or removed from it")
    func ownInteraction() {
        @MainActor
        final class Own: Interaction {
            var lines: [String] = []
            weak var view: InteractionView?

            func willMove(to view: InteractionView?) {
                lines.append(view == nil ? "leaves" : "comes")
            }

            func didMove(to view: InteractionView?) {
                self.view = view
            }
        }
        let own = Own()
        left.addInteraction(own)
        right.addInteraction(own)
        #expect(own.view === right)
        #expect(own.lines == ["comes", "leaves", "comes"])
    }

    @Test("an interaction does not retain its delegate, and a view does not retain its superview")
    func lifetimes() {
        let interaction = DropInteraction(delegate: TracedTarget("d", InteractionTrace()))
        #expect(interaction.delegate == nil)
        let child = InteractionView()
        InteractionView().addSubview(child)
        #expect(child.superview == nil)
    }
}
