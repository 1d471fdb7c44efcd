import Foundation
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@MainActor
@Suite(.inProcess)
struct DropInteractionTests {
    @Test("the delegate is called in this order; loads that the drop has begun continue after its conclusion")
    func order() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d").delegate?.proposal = { session in
                #expect(session.localDragSession != nil)
                return .copy
            }
            let drag = try await scene.begin()
            try await drag.move(to: .here)
            try await drag.move(to: .here(5, 5))
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            try await scene.trace.reaches("end", of: "d")
            #expect(
                scene.trace["d"] == [
                    "canHandle 1 true", "enter", "update", "update", "perform", "conclude", "loaded Yosemite", "end",
                ]
            )
        }
    }

    @Test("an interaction that cannot handle the session is not notified of it again (S19)")
    func cannotHandle() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d").delegate?.canHandle = { _ in false }
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here).operation == .cancel)
            try await drag.move(to: nil)
            #expect(try await drag.move(to: .here(1, 1)).operation == .cancel)
            #expect(try await drag.drop() == .cancel)
            #expect(try await drag.outcome().text == "cancelled")
            #expect(scene.trace["d"] == ["canHandle 1 false"])
        }
    }

    @Test("after items were added the interaction is asked again, whatever it answered before")
    func moreItems() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d").delegate?.canHandle = { $0.items.count == 2 }
            let drag = try await scene.begin()
            try await drag.move(to: .here)
            try await drag.add([.text("Sequoia")])
            #expect(try await drag.move(to: .here).operation == .copy)
            try await drag.add([.text("Zion")])
            #expect(try await drag.move(to: .here).operation == .cancel)
            #expect(try await drag.drop() == .cancel)
            try await scene.trace.reaches("end", of: "d")
            let trace = scene.trace["d"]
            #expect(
                trace.filter { $0.hasPrefix("canHandle") } == [
                    "canHandle 1 false", "canHandle 2 true", "canHandle 3 false",
                ]
            )
            #expect(trace.filter { !$0.hasPrefix("canHandle") && $0 != "update" } == ["enter", "exit", "end"])
        }
    }

    @Test("a session that leaves and returns enters again, and ends once")
    func reentry() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("d", CGRect(x: 50, y: 0, width: 50, height: 100))
            let drag = try await scene.begin()
            try await drag.move(to: .here(60, 0))
            #expect(try await drag.move(to: .here(10, 0)).operation == .cancel)
            try await drag.move(to: .here(60, 0))
            try await drag.move(to: nil)
            try await scene.trace.reaches("exit", of: "d")
            try await drag.move(to: .here(60, 0))
            await drag.cancel()
            try await scene.trace.reaches("end", of: "d")
            #expect(
                scene.trace["d"] == [
                    "canHandle 1 true", "enter", "update", "exit", "enter", "update", "exit", "enter", "update", "exit",
                    "end",
                ]
            )
        }
    }

    @Test(
        "a session that moves between sibling views exits one and enters the other, and both are notified of its end"
    )
    func sideBySide() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("l", CGRect(x: 0, y: 0, width: 50, height: 100))
            let right = scene.target("r", CGRect(x: 50, y: 0, width: 50, height: 100))
            right.delegate?.proposal = { session in
                #expect(session.location(in: right.view) == CGPoint(x: 10, y: 3))
                return .move
            }
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here(49, 3)).operation == .copy)
            #expect(try await drag.move(to: .here(60, 3)).operation == .move)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred move")
            try await scene.trace.reaches("end", of: "r")
            #expect(
                scene.trace.of("l", "r").filter { $0 != "r.loaded Yosemite" } == [
                    "l.canHandle 1 true", "l.enter", "l.update", "l.exit", "r.canHandle 1 true", "r.enter", "r.update",
                    "r.perform", "r.conclude", "l.end", "r.end",
                ]
            )
        }
    }

    @Test("an outer view gets a session over an inner view only if the inner view cannot handle it")
    func nested() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let outer = scene.target("o", CGRect(x: 0, y: 0, width: 80, height: 80))
            let inner = scene.target("i", CGRect(x: 10, y: 10, width: 20, height: 20), in: outer.view)
            let drag = try await scene.begin()
            try await drag.move(to: .here(5, 5))
            try await drag.move(to: .here(15, 15))
            try await drag.move(to: .here(5, 5))
            inner.delegate?.canHandle = { _ in false }
            try await drag.add([.text("Sequoia")])
            try await drag.move(to: .here(15, 15))
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            try await scene.trace.reaches("end", of: "i")
            let trace = scene.trace.of("o", "i").filter { !$0.hasSuffix("update") && !$0.hasPrefix("o.loaded") }
            #expect(
                trace == [
                    "o.canHandle 1 true", "o.enter",
                    "i.canHandle 1 true", "o.exit", "i.enter",
                    "i.exit", "o.enter",
                    "o.canHandle 2 true", "i.canHandle 2 false",
                    "o.perform", "o.conclude", "o.end", "i.end",
                ]
            )
        }
    }

    @Test("a disabled view is ignored, and the session belongs to the view around it")
    func disabled() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let outer = scene.target("o")
            let inner = scene.target("i", CGRect(x: 0, y: 0, width: 50, height: 50))
            inner.view.isUserInteractionEnabled = false
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here(5, 5)).operation == .copy)
            #expect(scene.trace["i"].isEmpty)
            inner.view.isUserInteractionEnabled = true
            try await drag.move(to: .here(5, 5))
            #expect(scene.trace["i"] == ["canHandle 1 true", "enter", "update"])
            outer.view.isUserInteractionEnabled = false
            #expect(try await drag.move(to: .here(5, 6)).operation == .cancel)
            #expect(scene.trace["i"].last == "exit")
            outer.view.isUserInteractionEnabled = true
            #expect(try await drag.move(to: .here(5, 7)).operation == .copy)
            #expect(scene.trace["i"].suffix(2) == ["enter", "update"])
            await drag.cancel()
            try await scene.trace.reaches("end", of: "i")
        }
    }

    @Test("without a point, the session belongs to the first view that can handle it, outer views first")
    func noPoint() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let lower = scene.target("l", CGRect(x: 0, y: 0, width: 50, height: 50))
            let upper = scene.target("u", CGRect(x: 0, y: 0, width: 50, height: 50))
            upper.delegate?.canHandle = { _ in false }
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here).operation == .copy)
            #expect(scene.trace.of("l", "u").prefix(3) == ["u.canHandle 1 false", "l.canHandle 1 true", "l.enter"])
            lower.view.removeFromSuperview()
            scene.target("d")
            #expect(try await drag.move(to: .here).operation == .copy)
            #expect(scene.trace["d"].contains("enter"))
            await drag.cancel()
        }
    }

    @Test("a refusal at one view does not apply to views that were not asked")
    func othersNotAsked() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            scene.target("l", CGRect(x: 0, y: 0, width: 50, height: 100)).delegate?.canHandle = { _ in false }
            scene.target("r", CGRect(x: 50, y: 0, width: 50, height: 100))
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here(10, 10)).operation == .cancel)
            #expect(scene.trace["r"].isEmpty)
            #expect(try await drag.move(to: .here(60, 10)).operation == .copy)
            await drag.cancel()
            try await scene.trace.reaches("end", of: "r")
            #expect(scene.trace["l"] == ["canHandle 1 false"])
        }
    }

    @Test("a delegate that implements no method accepts nothing")
    func defaults() async throws {
        final class Plain: DropInteractionDelegate {}
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let plain = Plain()
            scene.root.addInteraction(DropInteraction(delegate: plain))
            let drag = try await scene.begin()
            #expect(try await drag.move(to: .here).operation == .cancel)
            #expect(try await drag.drop() == .cancel)
            withExtendedLifetime(plain) {}
        }
    }

    @Test("a session that is dropped elsewhere ends for each view that it has entered")
    func elsewhere() async throws {
        try await DragBroker.with { broker in
            let here = InteractionScene(broker)
            let there = InteractionScene(broker, name: "b", trace: here.trace)
            here.target("d")
            let target = there.target("e")
            try await there.root.register(as: "there", connection: there.connection)
            let drag = try await here.begin()
            try await drag.move(to: .here)
            try await drag.move(to: DropLocation("there"))
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            try await here.trace.reaches("end", of: "d")
            try await here.trace.reaches("end", of: "e")
            #expect(here.trace["d"] == ["canHandle 1 true", "enter", "update", "exit", "end"])
            #expect(target.delegate?.texts == ["Yosemite"])
        }
    }

    @Test("objects are in the order of their items; items whose objects cannot be made are left out")
    func objects() async throws {
        try await DragBroker.with { broker in
            let scene = InteractionScene(broker)
            let first = Gate()
            scene.source.items = {
                let slow = ItemProvider.waiting(.utf8PlainText, for: first, "slow")
                let picture = ItemProvider.making(.png) { Data() }
                let quick = ItemProvider.making(.utf8PlainText) {
                    first.open()
                    return Data("quick".utf8)
                }
                return [slow, picture, quick].map(DragItem.init)
            }
            let target = scene.target("d")
            let drag = try await scene.begin()
            try await drag.move(to: .here)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(target.delegate?.texts == ["slow", "quick"])
        }
    }
}
