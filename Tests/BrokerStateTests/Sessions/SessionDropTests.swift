import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The drop window, the loads in it, and the result.
@Suite("Drag sessions: the drop", .pure) struct SessionDropTests {
    // MARK: The window

    @Test("A file that could not be passed on has not arrived")
    func refusedDescriptor() throws {
        var scene = DragScene(descriptors: true)
        scene.dropped(.move)
        scene.broker.refusesDescriptors = true
        let load = scene.load { $0.descriptorWelcome = true }
        _ = scene.framesToSource()
        let answer = Answer(byteCount: 9).encoded
        scene.broker.pass(.readOnlyFile, kind: .answer, payload: answer, on: scene.ask, from: scene.source)
        #expect(scene.framesToDestination().on(load).codes == [.limitExceeded])
        scene.performed()
        scene.conclude()
        #expect(scene.result().transferred?.failure?.code == .limitExceeded)
    }

    @Test("A moved file cannot be opened in place")
    func inPlace() throws {
        for operation in [DropOperation.copy, .move] {
            var scene = DragScene(descriptors: true)
            var item = Item("public.text")
            item.representations[0].fileOptions = .openInPlace
            scene.dropped(operation, [item])
            scene.load {
                $0.descriptorWelcome = true
                $0.inPlaceWelcome = true
            }
            let ask = try #require(scene.framesToSource().first(Ask.self))
            #expect(ask.inPlaceWelcome == (operation == .copy ? true : nil) && ask.descriptorWelcome == true)
        }
    }

    @Test("The time limit of the window applies to the first load, and the handler may take longer after it")
    func windowIsForTheFirstLoad() throws {
        var scene = DragScene()
        scene.dropped(.copy, DragScene.two)
        scene.broker.advance(by: 4_999)
        scene.fetch()
        scene.broker.advance(by: 599_999)
        scene.fetch(1)
        #expect(scene.result().kinds.isEmpty)
        scene.broker.advance(by: 599_999)
        scene.performed()
        let load = scene.load()
        #expect(scene.framesToDestination().on(load).codes == [.notLoadableNow])
        scene.conclude()
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.items == [0, 1] && transferred.failure == nil)
    }

    @Test("A handler that fails long after its last load fails the drop")
    func lateFailure() throws {
        for operation: DropOperation in [.copy, .move] {
            var scene = DragScene()
            scene.dropped(operation)
            scene.fetch()
            scene.broker.advance(by: 60_000)
            scene.forget()
            scene.performed([], Failure(.noSpace, "no"))
            let transferred = try #require(scene.result().transferred)
            #expect(transferred.failure?.code == .refused)
        }
    }

    @Test("A drop window without a load ends the session, and the error names the limit to both sides")
    func emptyWindow() throws {
        for operation: DropOperation in [.copy, .move] {
            var scene = DragScene(dropReports: true)
            scene.dropped(operation)
            scene.broker.advance(by: 5_000)
            let failure = try #require(scene.result().transferred?.failure)
            #expect(
                failure.code == .timeout && failure.text.contains("5000 ms") && failure.text.contains("drop-window")
            )
            let frames = scene.framesToDestination()
            #expect(frames.kinds == [.transferred, .end])
            #expect(frames.first(Transferred.self)?.failure?.text == failure.text)
        }
    }

    // MARK: Copies

    @Test("A copy that is not concluded is transferred when the time limit for the conclusion has passed", .tags(.f33))
    func unconcludedCopy() throws {
        var scene = DragScene()
        scene.dropped(.copy)
        scene.fetch()
        scene.performed()
        scene.broker.advance(by: 29_970)
        #expect(scene.result().kinds.isEmpty)
        scene.broker.advance(by: 30)
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.items == [0] && transferred.failure == nil)
    }

    // MARK: Moves

    @Test("A move that is not concluded in time has failed, and the source may delete nothing", .tags(.f33))
    func unconcludedMove() throws {
        var scene = DragScene(dropReports: true)
        scene.dropped(.move)
        scene.fetch()
        scene.performed()
        _ = scene.framesToSource()
        scene.broker.advance(by: 30_000)
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.failure?.code == .timeout && transferred.items.isEmpty)
        #expect(transferred.failure?.text.contains("limit conclude") == true)
        let frames = scene.framesToDestination().on(scene.destinationStream)
        #expect(frames.kinds == [.transferred, .end])
        #expect(frames.first(Transferred.self)?.failure?.text == transferred.failure?.text, "both sides know of it")
    }

    @Test("A move is not complete if it contains an item that the destination cannot see")
    func hiddenItem() throws {
        var scene = DragScene()
        scene.dropped(.move, [Item([Representation("public.png", visibility: .ownProcess)]), Item("public.text")])
        scene.fetch(0)
        scene.performed()
        scene.conclude()
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.failure?.code == .refused && transferred.items == [1], "as the source counts")
    }

    @Test("Items that are taken without a load count only within one process")
    func taken() throws {
        for isOwn in [true, false] {
            var scene = DragScene(sameProcess: isOwn)
            scene.dropped(.move, DragScene.two)
            scene.performed([0, 9, .max])
            scene.conclude([1])
            let result = scene.result()
            #expect(result.kinds == (isOwn ? [.transferred, .end] : [.end]))
            #expect(result.transferred?.items == (isOwn ? [0, 1] : nil) && result.transferred?.failure == nil)
        }
    }

    // MARK: Ends of processes

    @Test("Kept bytes of a dropped item arrive even if their source has died")
    func keptBytes() {
        var scene = DragScene()
        scene.write([])
        scene.broker.send(
            Item([Representation("public.text", byteCount: 3, kept: true)]),
            on: scene.drag,
            from: scene.source
        )
        scene.broker.data([4, 5, 6], last: true, on: scene.drag, from: scene.source)
        scene.broker.commit(1, on: scene.drag, from: scene.source)
        let handle = scene.framesToSource().first(Committed.self)?.handle
        scene.broker.send(Begin(), on: scene.drag, from: scene.source)
        scene.track(.copy)
        scene.drop()
        _ = scene.framesToDestination()
        let load = scene.broker.load(from: scene.destination, credit: 1) { $0.handle = handle }
        scene.broker.disconnect(scene.source)
        scene.broker.credit(10, on: load, from: scene.destination)
        #expect(scene.framesToDestination().on(load).bytes == [4, 5, 6])
        scene.everybodyLeaves()
        #expect(scene.broker.held == .nothing && scene.broker.openMemory == 0)
    }

    // MARK: Time limits

    @Test("A session that is only moved ends when its maximum time has passed")
    func age() {
        var scene = DragScene()
        scene.begin()
        for _ in 0..<6 {
            scene.track(.copy)
            scene.broker.advance(by: 99_000)
        }
        #expect(scene.broker.held.sessions == 1)
        scene.broker.advance(by: 6_000)
        let failure = scene.framesToSource().first(Failure.self)
        #expect(failure?.code == .timeout && failure?.text.contains("limit session") == true)
        #expect(scene.framesToDestination().kinds == [.exit, .error])
    }

    @Test("A draining broker ends sessions before their drop and refuses new ones; drops may finish")
    func drain() {
        var scene = DragScene()
        scene.dropped(.copy)
        scene.load()
        _ = scene.framesToSource()
        scene.give([1], last: false)
        scene.performed()
        let other = scene.broker.connect("other")
        let (drag, _) = scene.broker.drag(from: other)
        scene.broker.drain()
        #expect(scene.broker.take(other).on(drag).codes == [.brokerStopped])
        scene.broker.offer(from: other)
        #expect(scene.broker.take(other).codes == [.brokerStopped])
        scene.give([2])
        scene.conclude()
        #expect(scene.result().transferred?.failure == nil)
        scene.broker.endDraining()
        #expect(scene.broker.held == .nothing)
    }

    @Test("A load that is refused at once does not count as a load of the drop")
    func refusedLoad() {
        var scene = DragScene(dropReports: true)
        scene.dropped(.copy)
        let refused = [
            scene.load { $0.accepts = [Accept("com.example.none")] }, scene.load(7),
        ]
        let frames = scene.framesToDestination()
        #expect(refused.map { frames.on($0).codes } == [[.typeUnavailable], [.nothingHere]])
        scene.performed()
        #expect(scene.result().kinds == [.end])
    }
}
