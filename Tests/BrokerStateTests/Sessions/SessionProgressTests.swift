import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The time limits of a drop, and the result that its destination gets.
@Suite("Drag sessions: progress and results of drops", .pure) struct SessionProgressTests {
    @Test("A drop has no time limit while bytes are transferred")
    func flow() throws {
        for operation: DropOperation in [.copy, .move] {
            var scene = DragScene { $0.progress = 900_000 }
            scene.dropped(operation)
            scene.load { $0.credit = 1 << 20 }
            _ = scene.framesToSource()
            for _ in 0..<20 {
                scene.give([1], last: false)
                scene.forget()
                scene.broker.advance(by: 599_000)
            }
            scene.give([1])
            scene.performed()
            scene.conclude()
            let transferred = try #require(scene.result().transferred)
            #expect(transferred.items == [0] && transferred.failure == nil)
        }
    }

    @Test("A drop without transfer ends at the limit of the session, and its open loads end too")
    func standstill() throws {
        var scene = DragScene(dropReports: true) {
            $0.firstByte = 900_000
            $0.progress = 900_000
        }
        scene.dropped(.copy)
        let load = scene.load()
        _ = scene.framesToSource()
        scene.give([1], last: false)
        scene.broker.advance(by: 599_999)
        #expect(scene.result().kinds.isEmpty)
        scene.forget()
        scene.broker.advance(by: 21)
        let failure = try #require(scene.result().transferred?.failure)
        #expect(
            failure.code == .timeout && failure.text.contains("600000 ms") && failure.text.contains("limit session")
        )
        let frames = scene.framesToDestination()
        #expect(
            frames.on(load).codes == [.timeout] && frames.on(scene.destinationStream).kinds == [.transferred, .end]
        )
        scene.everybodyLeaves()
        #expect(scene.broker.held == .nothing)
    }

    @Test("Progress reports of the destination extend the drop before, between and after loads")
    func progress() throws {
        var scene = DragScene()
        scene.dropped(.move, DragScene.two)
        for step: UInt64 in 1...3 {
            scene.report(step)
            scene.broker.advance(by: 599_000)
        }
        scene.fetch(0)
        scene.broker.advance(by: 599_000)
        scene.report(4)
        scene.broker.advance(by: 599_000)
        scene.fetch(1)
        scene.performed()
        scene.broker.advance(by: 599_000)
        scene.report(5)
        scene.broker.advance(by: 599_000)
        scene.conclude()
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.items == [0, 1] && transferred.failure == nil)
    }

    @Test("A copy of which only a part has arrived has failed if its handler does not return before the limit")
    func copyUnderWay() throws {
        var scene = DragScene(dropReports: true)
        scene.dropped(.copy, DragScene.two)
        scene.fetch(0)
        scene.broker.advance(by: 600_100)
        let failure = try #require(scene.result().transferred?.failure)
        #expect(failure.code == .timeout && failure.text.contains("limit session"))
        let frames = try #require(scene.framesToDestination().first(Transferred.self))
        #expect(frames.failure?.text == failure.text && frames.items == [0])
    }

    @Test("A load that waits for its turn at the source counts as begun")
    func waitingLoad() throws {
        var scene = DragScene {
            $0.asksPerSource = 1
            $0.firstByte = 900_000
            $0.keepAlive = 900_000
        }
        scene.dropped(.copy, DragScene.two)
        scene.report(nil)
        scene.broker.advance(by: 595_000)
        scene.load(0)
        scene.load(1)
        scene.broker.advance(by: 599_000)
        #expect(scene.result().kinds.isEmpty)
        scene.broker.advance(by: 1_100)
        #expect(scene.result().transferred?.failure?.text.contains("limit session") == true)
    }

    @Test("The result for a destination contains the destination's own indices of the items")
    func numbers() throws {
        var scene = DragScene(dropReports: true)
        let hidden = Item([Representation("public.png", visibility: .ownProcess)])
        scene.dropped(.move, [hidden, Item("public.text"), Item("public.text")])
        scene.load(1)
        _ = scene.framesToSource()
        scene.give()
        scene.performed()
        scene.conclude()
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.items == [2] && transferred.failure?.code == .refused)
        #expect(scene.framesToDestination().first(Transferred.self)?.items == [1])
    }

    @Test(
        "A copy that has arrived is transferred at the limit, even if its destination is active and never concludes"
    )
    func unconcludedCopyAtWork() throws {
        var scene = DragScene()
        scene.dropped(.copy)
        scene.fetch()
        scene.report(nil)
        scene.performed()
        scene.broker.advance(by: 599_000)
        #expect(scene.result().kinds.isEmpty)
        scene.broker.advance(by: 1_100)
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.items == [0] && transferred.failure == nil)
        #expect(scene.framesToDestination().last?.kind == .end)
    }
}
