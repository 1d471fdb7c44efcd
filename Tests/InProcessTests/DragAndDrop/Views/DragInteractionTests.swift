import Foundation
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@MainActor
@Suite(.inProcess)
struct DragInteractionTests {
    private static let beginning = ["items", "willBegin 1", "allowsMove", "isRestricted"]

    @Test("if the delegate provides no items, no drag begins, and no other method is called")
    func noItems() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.source.items = { [] }
            try await #expect(scene.root.beginDrag(at: .zero) == nil)
            #expect(scene.trace["a"] == ["items"])
            scene.source.items = { [.text("again")] }
            try await scene.begin().cancel()
            #expect(scene.trace["a"].prefix(2) == ["items", "items"])
        }
    }

    @Test("without an enabled interaction with a delegate at the point, no drag begins")
    func nothingThere() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.sourceInteraction.isEnabled = false
            try await #expect(scene.root.beginDrag(at: .zero) == nil)
            scene.sourceInteraction.isEnabled = true
            scene.root.isUserInteractionEnabled = false
            try await #expect(scene.root.beginDrag(at: .zero) == nil)
            scene.root.isUserInteractionEnabled = true
            scene.root.removeInteraction(scene.sourceInteraction)
            try await #expect(scene.root.beginDrag(at: .zero) == nil)
            scene.root.addInteraction(DragInteraction(delegate: TracedSource("gone", scene.trace)))
            try await #expect(scene.root.beginDrag(at: .zero) == nil)
            #expect(scene.trace["a"].isEmpty)
        }
    }

    @Test("the deepest view with an enabled interaction is asked, with the point in its own coordinates")
    func deepest() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let view = InteractionView(frame: CGRect(x: 10, y: 20, width: 50, height: 50))
            scene.root.addSubview(view)
            let inner = TracedSource("b", scene.trace)
            let interaction = DragInteraction(delegate: inner)
            view.addInteraction(interaction)
            inner.begins = { session in
                #expect(session.location(in: view) == CGPoint(x: 5, y: 6))
                #expect(session.items.isEmpty)
            }
            let drag = try #require(try await scene.root.beginDrag(at: CGPoint(x: 15, y: 26)))
            #expect(drag.location(in: view) == CGPoint(x: 5, y: 6))
            await drag.cancel()
            let direct = try #require(try await view.beginDrag(at: CGPoint(x: 5, y: 6)))
            await direct.cancel()
            #expect(scene.trace["a"].isEmpty)
            inner.items = { [] }
            try await #expect(scene.root.beginDrag(at: CGPoint(x: 15, y: 26)) == nil)
            #expect(scene.trace["a"].isEmpty)
            interaction.isEnabled = false
            await (try await scene.root.beginDrag(at: CGPoint(x: 15, y: 26)))?.cancel()
            #expect(scene.trace["a"].prefix(4) == Self.beginning[...])
        }
    }

    @Test(
        "the source's delegate is notified of the begin, moves, drop and transfer in this order (S37)",
        arguments: [DropOperation.cancel, .forbidden, .copy, .move]
    )
    func ends(with operation: DropOperation) async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d").delegate?.proposal = { _ in DropProposal(operation: operation) }
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here).operation == operation)
            #expect(try await drag.drop() == operation)
            let outcome = try await drag.outcome().text
            var expected = Self.beginning + ["moved", "willEnd \(operation)", "didEnd \(operation)"]
            if operation == .copy || operation == .move {
                expected.append("transferred")
                #expect(outcome == "transferred \(operation)")
            } else {
                #expect(outcome == "cancelled")
            }
            #expect(scene.trace["a"] == expected)
        }
    }

    @Test("a move to another process needs the permission of the delegate", arguments: [false, true])
    func moveBetweenProcesses(isAllowed: Bool) async throws {
        try await DragBroker.with { broker in
            let here = InteractionScene(broker)
            let there = InteractionScene(broker, name: "b", trace: here.trace)
            here.source.allowsMoveBetweenProcesses = isAllowed
            there.target("d").delegate?.proposal = { session in
                #expect(session.allowsMoveOperation == isAllowed)
                return .move
            }
            try await there.root.register(as: "there", connection: there.connection)
            let drag = try await here.begin()
            #expect(try await drag.move(to: DropLocation("there")).operation == (isAllowed ? .move : .cancel))
            try await drag.drop()
            #expect(try await drag.outcome().text == (isAllowed ? "transferred move" : "cancelled"))
            try await here.trace.reaches("end", of: "d")
            #expect(here.trace["a"].contains("transferred") == isAllowed)
            #expect(here.trace["d"].contains("perform") == isAllowed)
        }
    }

    @Test("the drag has the restrictions that the delegate states")
    func restricted() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.source.allowsMove = false
            scene.source.isRestricted = true
            let drag = try await scene.begin()
            #expect(!drag.allowsMoveOperation && drag.isRestrictedToDraggingApplication)
            await drag.cancel()
        }
    }

    @Test("if the broker refuses a drag, the delegate that began it is notified of its end")
    func refused() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.source.items = { [DragItem(itemProvider: ItemProvider())] }
            await expectError(.invalidArgument) { try await scene.begin() }
            #expect(scene.trace["a"] == Self.beginning + ["willEnd cancel", "didEnd cancel"])
            await scene.connection.close()
            scene.trace.clear()
            scene.source.items = { [.text("Yosemite")] }
            await #expect(throws: PasteboardError.self) { try await scene.begin() }
            #expect(scene.trace["a"] == Self.beginning + ["willEnd cancel", "didEnd cancel"])
        }
    }

    @Test("if the task is cancelled while a drag begins, the delegate that began it is notified of its end")
    func cancelled() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let beginning = Task { @MainActor in _ = try await scene.begin() }
            beginning.cancel()
            let result = await beginning.result
            let error = #expect(throws: PasteboardError.self) { try result.get() }
            #expect(error?.code == .cancelled)
            #expect(scene.trace["a"] == Self.beginning + ["willEnd cancel", "didEnd cancel"])
            try await scene.begin().cancel()
        }
    }

    @Test("a source that cancels its drag or loses its broker is notified of the end once")
    func withdrawn() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let drag = try await scene.begin()
            await drag.cancel()
            await drag.cancel()
            #expect(try await drag.outcome().text == "cancelled")
            #expect(scene.trace["a"] == Self.beginning + ["willEnd cancel", "didEnd cancel"])
            scene.trace.clear()
            let lost = try await scene.begin()
            await broker.stop()
            _ = try await lost.outcome()
            #expect(scene.trace["a"] == Self.beginning + ["willEnd cancel", "didEnd cancel"])
        }
    }

    @Test("items can be added from another view, and all delegates that provided items get all notifications")
    func adding() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let view = InteractionView(frame: CGRect(x: 50, y: 50, width: 50, height: 50))
            scene.root.addSubview(view)
            let other = TracedSource("b", scene.trace)
            view.addInteraction(DragInteraction(delegate: other))
            let target = scene.target("d")
            let drag = try await scene.begin()
            try await drag.move(to: .here)
            #expect(try await !scene.root.addItems(to: drag, at: CGPoint(x: 51, y: 52)))
            #expect(scene.trace["b"] == ["adding 1 2"])
            #expect(drag.items.count == 1)
            other.added = { [.text("Sequoia"), .text("Zion")] }
            #expect(try await scene.root.addItems(to: drag, at: CGPoint(x: 51, y: 52)))
            #expect(drag.items.count == 3)
            try await drag.move(to: .here)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(
                scene.trace["a"] == Self.beginning
                    + ["moved", "willAdd 2 of b", "moved", "willEnd copy", "didEnd copy", "transferred"]
            )
            #expect(
                scene.trace["b"] == [
                    "adding 1 2", "adding 1 2", "willAdd 2 of b", "moved", "willEnd copy", "didEnd copy", "transferred",
                ]
            )
            #expect(target.delegate?.texts == ["Yosemite", "Sequoia", "Zion"])
            #expect(scene.trace["d"].filter { $0.hasPrefix("canHandle") } == ["canHandle 1 true", "canHandle 3 true"])
        }
    }

    @Test("of two simultaneous additions one may be refused, and the delegate is still notified about the other")
    func addingOneTooLarge() async throws {
        try await DragBroker.with(limits: ["metadata-per-session": "4KiB"]) { broker in
            let scene = InteractionScene(broker)
            let view = InteractionView(frame: CGRect(x: 50, y: 50, width: 50, height: 50))
            scene.root.addSubview(view)
            let other = TracedSource("b", scene.trace)
            view.addInteraction(DragInteraction(delegate: other))
            let large = ItemProvider()
            for index in 0..<200 {
                let type = UniformType(importedAs: "org.example.a-name-that-takes-some-room-\(index)")
                large.registerDataRepresentation(for: type) { Data() }
            }
            var given = [DragItem(itemProvider: large), .text("Sequoia")]
            other.added = { [given.removeFirst()] }
            let drag = try await scene.begin()
            let add = { @MainActor @Sendable in try await scene.root.addItems(to: drag, at: CGPoint(x: 51, y: 52)) }
            async let isFirstThere = try? await add()
            async let isSecondThere = try? await add()
            // Either of the two may run first.
            #expect(await Set([isFirstThere, isSecondThere]) == [nil, true])
            await drag.cancel()
            #expect(scene.trace["b"].suffix(2) == ["willEnd cancel", "didEnd cancel"])
        }
    }

    @Test("items can be added to a drag that was not begun by a view")
    func addingToOther() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.source.added = { [.text("more")] }
            let drag = try await PasteboardKit.Drag.begin([.text("first")], connection: scene.connection)
            #expect(try await scene.root.addItems(to: drag, at: .zero))
            #expect(drag.items.count == 2)
            await drag.cancel()
            #expect(scene.trace["a"] == ["adding 0 0"])
        }
    }

    @Test("a session continues after its delegate, its view and the caller's references are released")
    func delegateGone() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let target = scene.target("d")
            let view = InteractionView(frame: CGRect(x: 50, y: 50, width: 50, height: 50))
            scene.root.addSubview(view)
            var source: TracedSource? = TracedSource("b", scene.trace)
            try view.addInteraction(DragInteraction(delegate: #require(source)))
            let drag = try #require(try await scene.root.beginDrag(at: CGPoint(x: 60, y: 60)))
            source = nil
            view.removeFromSuperview()
            try await drag.move(to: .here)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(scene.trace["b"] == Self.beginning)
            #expect(target.delegate?.texts == ["Yosemite"])
        }
    }
}
