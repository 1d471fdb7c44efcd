import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

@Suite("Ends of drags", .inProcess)
struct DragEndingTests {
    @Test("a drag that the program releases is cancelled, and its destination is notified")
    func letGo() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect())
            let source = broker.connect()
            func visit() async throws {
                let drag = try await Drag.begin([.text("a")], connection: source)
                try await drag.reach()
            }
            try await visit()
            try await site.happened("ended")
            #expect(await site.stop() == ["entered", "updated -1", "exited", "ended"])
        }
    }

    @Test("a drag that the program releases after the drop continues")
    func droppedAndLetGo() async throws {
        try await DragBroker.with { broker in
            let goOn = Gate()
            let texts = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, _ in
                await goOn.wait()
                for text in try await session.load(String.self) { texts.add(text) }
            }
            _ = try await Drag.drop(from: broker.connect())
            goOn.open()
            try await site.happened("ended")
            #expect(texts.lines == ["a"])
            await site.stop()
        }
    }

    @Test(
        "a source that cancels its drag or disconnects before the drop leaves no trace",
        arguments: [false, true]
    )
    func sourceBeforeDrop(isGone: Bool) async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect())
            let source = broker.connect()
            let drag = try await Drag.begin([.text("a")], connection: source)
            try await drag.reach()
            if isGone { await source.close() } else { await drag.cancel() }
            #expect(try await drag.outcome().text == (isGone ? "failed broker-unavailable" : "cancelled"))
            let moved = await #expect(throws: PasteboardError.self) { try await drag.move(to: .row(0)) }
            #expect(moved?.code == (isGone ? .brokerUnavailable : .cancelled))
            let dropped = await #expect(throws: PasteboardError.self) { try await drag.drop() }
            #expect(dropped?.code == (isGone ? .brokerUnavailable : .cancelled))
            try await site.happened("ended")
            if !isGone { #expect(site.log.endings == ["cancelled"]) }
            #expect(await site.stop() == ["entered", "updated -1", "exited", "ended"])
        }
    }

    @Test(
        "a drag leaves a destination that ends; if the destination was performing the drop, the drop fails",
        arguments: [false, true]
    )
    func destination(isPerforming: Bool) async throws {
        try await DragBroker.with { broker in
            let (performing, never) = (Gate(), Gate())
            let connection = broker.connect(process: 77)
            let site = DropSite(on: connection) { session, _ in
                _ = try await session.load(String.self)
                performing.open()
                await never.wait()
            }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            #expect(try await drag.reach().operation == .copy)
            if isPerforming {
                try await drag.drop()
                await performing.wait()
            }
            await connection.close()
            never.open()
            guard case .failure(let error) = await site.end() else {
                Issue.record("it went on without a connection")
                return
            }
            #expect(error.code == .brokerUnavailable)
            if isPerforming {
                #expect(try await drag.outcome().text == "failed destination-gone")
                #expect(await site.stop() == ["entered", "updated -1", "ended"])
            } else {
                // The destination knows its end before the broker has read that of its connection.
                try await eventually("the end of the connection at the broker") { try !broker.isConnected(77) }
                #expect(try await drag.drop() == .cancel)
                #expect(try await drag.outcome().text == "cancelled")
                #expect(await site.stop() == ["entered", "updated -1", "exited", "ended"])
            }
        }
    }

    @Test(
        "a destination that is cancelled in its handler, or in an extension of the drop window, has not taken the items",
        arguments: [false, true]
    )
    func cancelledRun(isInExtension: Bool) async throws {
        try await DragBroker.with { broker in
            let performing = Gate()
            let site = DropSite(on: broker.connect()) { session, _ in
                @Sendable func load() async throws {
                    _ = try await session.load(String.self)
                    performing.open()
                    try await Task.sleep(for: .seconds(600))
                }
                if isInExtension { session.extendDropWindow { try await load() } } else { try await load() }
            }
            let drag = try await Drag.drop(from: broker.connect())
            await performing.wait()
            #expect(await site.stop() == ["entered", "updated -1", "ended"])
            #expect(try await drag.outcome().text == "failed refused")
        }
    }

    @Test("if the broker ends, all sessions end with an error, and the destinations wait for the next broker")
    func broker() async throws {
        let (proposing, performing, never) = (Counter(), Gate(), Gate())
        try await DragBroker.with { broker in
            let slow = DropSite("slow", on: broker.connect()) { _, _ in
                proposing.increment()
                await never.wait()
                return .copy
            } perform: { _, _ in
            }
            let site = DropSite(on: broker.connect()) { session, _ in
                performing.open()
                await never.wait()
                _ = try await session.load(String.self)
            }
            let moving = try await Drag.begin([.text("a")], connection: broker.connect())
            let dropping = try await Drag.drop([.text("b")], from: broker.connect())
            await performing.wait()
            let move = Task { try await moving.reach("slow") }
            let outcome = Task { try await dropping.outcome().text }
            try await eventually("a question for a proposal") { proposing.value > 0 }
            await broker.stop()
            await expectError(.brokerStopped) { try await move.value }
            #expect(try await outcome.value == "failed broker-stopped")
            #expect(try await moving.outcome().text == "failed broker-stopped")
            never.open()
            for site in [slow, site] {
                #expect(await site.stop().suffix(1) == ["ended"])
            }
            await #expect(throws: PasteboardError.self) { try await moving.add([.text("c")]) }
        }
    }

    @Test("cancelling the task of a pointer update, a drop or a begin ends the wait, and the session continues")
    func cancelledTasks() async throws {
        try await DragBroker.with { broker in
            let (proposing, goOn) = (Counter(), Gate())
            let site = DropSite(on: broker.connect()) { _, _ in
                proposing.increment()
                await goOn.wait()
                return .copy
            } perform: { session, _ in
                _ = try await session.load(String.self)
            }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            let move = Task { try await drag.reach() }
            try await eventually("a question for a proposal") { proposing.value > 0 }
            move.cancel()
            await expectError(.cancelled) { try await move.value }
            let drop = Task { try await drag.drop() }
            drop.cancel()
            await expectError(.cancelled) { try await drop.value }
            goOn.open()
            #expect(try await drag.drop() == .copy)
            #expect(try await drag.outcome().text == "transferred copy")

            let begin = Task {
                try? await eventually("the cancellation") { Task.isCancelled }
                return try await Drag.begin([.text("a")], connection: broker.connect())
            }
            begin.cancel()
            await expectError(.cancelled) { try await begin.value }
            await site.stop()
        }
    }
}
