import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@MainActor
@Suite(.inProcess)
struct ViewDestinationTests {
    @Test("a tree is a destination for other processes under its name until it is unregistered")
    func registering() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d")
            let drag = try await PasteboardKit.Drag.begin([.text("x")], connection: broker.connect())
            await expectError(.nothingHere) { try await drag.move(to: DropLocation("scene")) }
            try await scene.root.register(as: "scene", connection: scene.connection)
            #expect(try await drag.move(to: DropLocation("scene")).operation == .copy)
            await scene.root.unregister()
            try await scene.trace.reaches("end", of: "d")
            #expect(scene.trace["d"] == ["canHandle 1 true", "enter", "update", "exit", "end"])
            await scene.root.unregister()
            try await scene.root.register(as: "scene", connection: scene.connection)
            #expect(try await drag.move(to: DropLocation("scene")).operation == .copy)
            await drag.cancel()
        }
    }

    @Test("two trees cannot have the same name, and a tree has only one name")
    func twice() async throws {
        try await DragBroker.with { broker in
            let (scene, other) = (InteractionScene(broker), InteractionScene(broker))
            try await scene.root.register(as: "scene", connection: scene.connection)
            await expectError(.refused) { try await other.root.register(as: "scene", connection: other.connection) }
            let again = await expectError(.invalidArgument) {
                try await scene.root.register(as: "other", connection: scene.connection)
            }
            #expect(again?.message.contains("scene") == true)
            try await other.root.register(as: "other", connection: other.connection)
        }
    }

    @Test("every client sees the names to which drags can be directed, and no other names")
    func names() async throws {
        try await DragBroker.with { broker in
            let (west, east) = (InteractionScene(broker), InteractionScene(broker))
            #expect(try await DropDestination.names(connection: west.connection).isEmpty)
            for (name, scene) in [("west", west), ("east", east)] {
                try await scene.root.register(as: name, connection: scene.connection)
            }
            for scene in [west, east] {
                #expect(try await DropDestination.names(connection: scene.connection) == ["east", "west"])
            }
            // After a drag from a view, the view has a second name, which only this process may use.
            let drag = try await west.begin()
            #expect(try await DropDestination.names(connection: west.connection) == ["east", "west"])
            await drag.cancel()
        }
    }

    @Test("if a tree is registered twice at the same time, one registration is refused")
    func twiceAtOnce() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let names = ["one", "two"].map { name in
                Task { @MainActor in try await scene.root.register(as: name, connection: scene.connection) }
            }
            var codes: [PasteboardError.Code] = []
            for name in names {
                if case .failure(let error as PasteboardError) = await name.result { codes.append(error.code) }
            }
            #expect(codes == [.invalidArgument])
        }
    }

    @Test("a tree that is deallocated is no longer registered")
    func released() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            var view: InteractionView? = InteractionView()
            try await view?.register(as: "scene", connection: connection)
            weak let released = view
            view = nil
            #expect(released == nil)
            let drag = try await PasteboardKit.Drag.begin([.text("x")], connection: connection)
            await expectError(.nothingHere) { try await drag.move(to: DropLocation("scene")) }
            await drag.cancel()
        }
    }

    @Test("a tree that has lost its broker can be registered again")
    func lost() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            try await scene.root.register(as: "scene", connection: scene.connection)
            var isLocal = false
            scene.target("d").delegate?.proposal = { session in
                isLocal = session.localDragSession != nil
                return .copy
            }
            let drag = try await scene.begin()
            try await drag.move(to: DropLocation("scene"))
            #expect(isLocal, "by its name, too")
            await scene.connection.close()
            #expect(await scene.root.registrationOutcome() != nil)
            #expect(scene.trace["d"].last == "end")
            try await scene.root.register(as: "again", connection: broker.connect())
            let next = try await scene.begin()
            #expect(try await next.move(to: .here).operation == .copy)
            await next.cancel()
        }
    }

    @Test("a tree that has lost its broker does not wait for the extensions of a drop")
    func lostWhilePerforming() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let target = scene.target("d")
            target.interaction.allowsSimultaneousDropSessions = true
            let extending = Gate()
            target.delegate?.perform = { session in
                session.extendDropWindow {
                    extending.open()
                    try await Task.sleep(for: .seconds(600))
                }
            }
            try await scene.root.register(as: "scene", connection: scene.connection)
            let drag = try await PasteboardKit.Drag.begin([.text("x")], connection: broker.connect())
            try await drag.move(to: DropLocation("scene"))
            try await drag.drop()
            await extending.wait()
            await scene.connection.close()
            #expect(await scene.root.registrationOutcome() != nil)
            try await scene.root.register(as: "again", connection: broker.connect())
        }
    }

    @Test("drops of several sessions at one view are performed in the order of the drops")
    func order() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let target = scene.target("d")
            target.interaction.allowsSimultaneousDropSessions = true
            var names: [String] = []
            let (all, gate) = (Gate(), Gate())
            target.delegate?.perform = { session in
                names.append(session.items.first?.itemProvider.suggestedName ?? "")
                if names.count == 8 { all.open() }
                // No drop ends before all have begun.
                session.extendDropWindow { await gate.wait() }
            }
            try await scene.root.register(as: "scene", connection: scene.connection)
            var drags: [PasteboardKit.Drag] = []
            for number in 0..<8 {
                let item = DragItem.text("x")
                item.itemProvider.suggestedName = "\(number)"
                let drag = try await PasteboardKit.Drag.begin([item], connection: broker.connect())
                try await drag.move(to: DropLocation("scene"))
                drags.append(drag)
            }
            for drag in drags { try await drag.drop() }
            await all.wait()
            #expect(names == (0..<8).map(String.init))
            gate.open()
            for drag in drags { _ = try await drag.outcome() }
        }
    }

    @Test("the wait for the end of a registration returns nil after unregistering, and at once without a registration")
    func ended() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            #expect(await scene.root.registrationOutcome() == nil)
            try await scene.root.register(as: "scene", connection: scene.connection)
            async let end = scene.root.registrationOutcome()
            await scene.root.unregister()
            #expect(await end == nil)
        }
    }

    @Test("items of types that a tree does not accept do not reach its views")
    func accepting() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d")
            try await scene.root.register(as: "scene", accepting: [.image], connection: scene.connection)
            let drag = try await scene.begin()
            #expect(try await drag.move(to: DropLocation("scene")).operation == .cancel)
            #expect(scene.trace["d"].isEmpty)
            #expect(try await drag.move(to: .here).operation == .copy)
            await drag.cancel()
        }
    }

    @Test("if a view within a tree is registered, points in the coordinates of the outermost view find its subviews")
    func within() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let outer = scene.target("o", CGRect(x: 10, y: 10, width: 80, height: 80))
            let inner = scene.target("i", CGRect(x: 10, y: 10, width: 20, height: 20), in: outer.view)
            try await outer.view.register(as: "outer", connection: scene.connection)
            inner.delegate?.proposal = { session in
                #expect(session.location(in: inner.view) == CGPoint(x: 1.5, y: 2))
                return .copy
            }
            let drag = try await PasteboardKit.Drag.begin([.text("x")], connection: broker.connect())
            try await drag.move(to: DropLocation("outer", point: Point(x: 21.5, y: 22)))
            #expect(scene.trace["i"].last == "update")
            #expect(scene.trace["o"].isEmpty)
            await drag.cancel()
        }
    }

    @Test("a tree gets one session at a time, unless an interaction allows more", arguments: [false, true])
    func simultaneous(isAllowed: Bool) async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let left = scene.target("l", CGRect(x: 0, y: 0, width: 50, height: 100))
            scene.target("r", CGRect(x: 50, y: 0, width: 50, height: 100))
            left.interaction.allowsSimultaneousDropSessions = isAllowed
            try await scene.root.register(as: "scene", connection: scene.connection)
            let first = try await PasteboardKit.Drag.begin([.text("1")], connection: broker.connect())
            let second = try await PasteboardKit.Drag.begin([.text("2")], connection: broker.connect())
            let (onLeft, onRight) = (Point(x: 1, y: 1), Point(x: 60, y: 1))
            #expect(try await first.move(to: DropLocation("scene", point: onLeft)).operation == .copy)
            if isAllowed {
                #expect(try await second.move(to: DropLocation("scene", point: onLeft)).operation == .copy)
                #expect(try await first.move(to: DropLocation("scene", point: onRight)).operation == .copy)
                // The other interaction does not allow a second session.
                #expect(try await second.move(to: DropLocation("scene", point: onRight)).operation == .cancel)
                await first.cancel()
                try await scene.trace.reaches("end", of: "r")
            } else {
                await expectError(.refused) { try await second.move(to: DropLocation("scene", point: onRight)) }
                await first.cancel()
                try await scene.trace.reaches("end", of: "l")
            }
            #expect(try await second.move(to: DropLocation("scene", point: onRight)).operation == .copy)
            try await second.drop()
            #expect(try await second.outcome().text == "transferred copy")
        }
    }

    @Test("if the view under a session is removed, the drop is refused; without its interaction, the session exits")
    func viewGone() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let target = scene.target("d", CGRect(x: 0, y: 0, width: 50, height: 50))
            let drag = try await scene.begin()
            try await drag.move(to: .here(1, 1))
            target.view.removeFromSuperview()
            try await drag.drop()
            #expect(try await drag.outcome().text == "failed refused")
            try await scene.trace.reaches("end", of: "d")
            #expect(scene.trace["d"] == ["canHandle 1 true", "enter", "update", "end"])

            scene.root.addSubview(target.view)
            scene.trace.clear()
            let moved = try await scene.begin()
            try await moved.move(to: .here(1, 1))
            target.view.removeInteraction(target.interaction)
            #expect(try await moved.move(to: .here(1, 1)).operation == .cancel)
            #expect(scene.trace["d"] == ["canHandle 1 true", "enter", "update", "exit"])
            await moved.cancel()
            try await scene.trace.reaches("end", of: "d")
        }
    }

    @Test("an interaction whose delegate is deallocated is ignored")
    func delegateGone() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let outer = scene.target("o")
            let inner = scene.target("i", CGRect(x: 0, y: 0, width: 50, height: 50))
            let drag = try await scene.begin()
            try await drag.move(to: .here(1, 1))
            inner.delegate = nil
            #expect(try await drag.move(to: .here(1, 1)).operation == .copy)
            #expect(scene.trace["i"] == ["canHandle 1 true", "enter", "update"])
            #expect(scene.trace["o"] == ["canHandle 1 true", "enter", "update"])
            outer.delegate = nil
            try await drag.drop()
            #expect(try await drag.outcome().text == "failed refused")
        }
    }

    @Test("delegates may change the tree in any of their methods")
    func changes() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let left = scene.target("l", CGRect(x: 0, y: 0, width: 50, height: 100))
            let right = scene.target("r", CGRect(x: 50, y: 0, width: 50, height: 100))
            left.delegate?.exits = { _ in right.view.removeFromSuperview() }
            right.delegate?.canHandle = { _ in
                right.view.removeInteraction(right.interaction)
                left.view.removeFromSuperview()
                return true
            }
            let drag = try await scene.begin()
            try await drag.move(to: .here(1, 1))
            try await drag.move(to: .here(60, 1))
            #expect(try await drag.move(to: .here(60, 1)).operation == .cancel)
            try await drag.drop()
            try await scene.trace.reaches("end", of: "l")
            for name in ["l", "r"] {
                let trace = scene.trace[name]
                #expect(trace.count { $0 == "enter" } == trace.count { $0 == "exit" })
            }
        }
    }

    @Test("if a tree is unregistered during a drop, the drop ends for the source")
    func unregisteredInDrop() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let target = scene.target("d")
            target.delegate?.perform = { session in
                session.extendDropWindow { await scene.root.unregister() }
            }
            try await scene.root.register(as: "scene", connection: scene.connection)
            let drag = try await PasteboardKit.Drag.begin([.text("x")], connection: broker.connect())
            try await drag.move(to: DropLocation("scene"))
            try await drag.drop()
            #expect(try await drag.outcome().text == "failed destination-gone")
            try await scene.trace.reaches("end", of: "d")
        }
    }
}
