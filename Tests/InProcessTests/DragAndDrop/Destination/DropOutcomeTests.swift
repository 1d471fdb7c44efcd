import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

@Suite("Drop outcomes at the destination", .inProcess)
struct DropOutcomeTests {
    @Test("source and destination get the same outcome of a complete drop", arguments: [DropOperation.copy, .move])
    func complete(_ operation: DropOperation) async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect()) { _, _ in
                DropProposal(operation: operation)
            } perform: { session, _ in
                #expect(session.outcome == nil)
                _ = try await session.load(String.self)
            }
            let drag = try await Drag.drop(from: broker.connect())
            #expect(try await drag.outcome().text == "transferred \(operation)")
            try await site.happened("ended")
            #expect(site.log.endings == ["transferred \(operation)"])
            await site.stop()
        }
    }

    @Test(
        "a move that the source cancels or leaves has failed for the destination, even after all loads",
        arguments: [false, true]
    )
    func givenUp(isGone: Bool) async throws {
        try await DragBroker.with { broker in
            let (loaded, goOn) = (Gate(), Gate())
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                _ = try await session.load(String.self)
                loaded.open()
                await goOn.wait()
            }
            let source = broker.connect(process: 77)
            let drag = try await Drag.drop(from: source)
            await loaded.wait()
            if isGone { await source.close() } else { await drag.cancel() }
            #expect(try await drag.outcome().text == (isGone ? "failed broker-unavailable" : "cancelled"))
            // The source knows its outcome before the broker has read its cancel or the end of its connection.
            try await eventually("the end of the session at the broker") {
                try !(isGone ? broker.isConnected(77) : broker.hasSessions())
            }
            goOn.open()
            try await site.happened("ended")
            #expect(site.log.endings == [isGone ? "failed source-gone" : "failed cancelled"])
            await site.stop()
        }
    }

    @Test("a destination that is cancelled when its drop is complete gets the same outcome as the source")
    func givenUpWhenComplete() async throws {
        try await DragBroker.with { broker in
            // Each destination is cancelled by its own handler, after the handler has loaded everything.
            for _ in 0..<20 {
                let loaded = Gate()
                let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                    _ = try await session.load(String.self)
                    loaded.open()
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                let drag = try await Drag.drop(from: broker.connect())
                await loaded.wait()
                #expect(try await drag.outcome().text == "transferred move")
                _ = await site.end()
                try await site.happened("ended")
                #expect(site.log.endings == ["transferred move"])
            }
        }
    }

    @Test("if all loads are cancelled before they are sent, source and destination get the same outcome")
    func neverSent() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect()) { session, _ in
                session.progress.cancel()
                let objects = try? await session.load(String.self)
                #expect(objects?.isEmpty ?? true)
            }
            let drag = try await Drag.drop(from: broker.connect())
            let outcome = try await drag.outcome().text
            try await site.happened("ended")
            #expect(site.log.endings == [outcome])
            await site.stop()
        }
    }

    @Test(
        "the drop of a destination that is cancelled or disconnected while it performs has failed",
        arguments: [false, true]
    )
    func abandoned(isClosed: Bool) async throws {
        try await DragBroker.with { broker in
            let (asked, never) = (Gate(), Gate())
            let item = DragItem.text(after: never, asked: asked)
            let connection = broker.connect()
            // The handler has returned, but its callback has not run yet.
            let site = DropSite(on: connection) { session, _ in
                session.loadObjects(ofClass: String.self) { _ in }
            }
            let drag = try await Drag.drop([item], from: broker.connect())
            await asked.wait()
            if isClosed { await connection.close() } else { site.cancel() }
            _ = await site.end()
            try await site.happened("ended")
            #expect(site.log.endings == [isClosed ? "failed broker-unavailable" : "failed cancelled"])
            #expect(try await drag.outcome().text.hasPrefix("failed"))
            never.open()
        }
    }

    @Test("loads that the handler begins after the death of the source fail with source-gone")
    func deadSource() async throws {
        try await DragBroker.with { broker in
            let (asked, never) = (Gate(), Gate())
            let item = DragItem.text(after: never, asked: asked)
            let codes = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, _ in
                // The failure of the first load shows that the source is dead.
                for _ in 0..<2 {
                    do throws(PasteboardError) {
                        _ = try await session.items[0].itemProvider.loadData(for: .utf8PlainText)
                    } catch {
                        codes.add(error.code.description)
                    }
                }
                // It begins in time, although its request is made when the handler may have returned.
                session.items[0].itemProvider.loadDataRepresentation(for: .utf8PlainText) { _, error in
                    codes.add((error as? PasteboardError)?.code.description ?? "loaded")
                }
            }
            let source = broker.connect()
            _ = try await Drag.drop([item], from: source)
            await asked.wait()
            await source.close()
            try await site.happened("ended")
            try await eventually("the end of the last load") { codes.lines.count == 3 }
            #expect(codes.lines == Array(repeating: "source-gone", count: 3))
            #expect(site.log.endings == ["failed source-gone"])
            never.open()
            await site.stop()
        }
    }

    @Test("a wait in an extension of the drop window ends with its session")
    func question() async throws {
        try await DragBroker.with { broker in
            let asked = Gate()
            let answers = DropSite.Log()
            let connection = broker.connect()
            let site = DropSite(on: connection) { session, _ in
                session.extendDropWindow {
                    asked.open()
                    do {
                        // The destination never exists, so this wait has no result.
                        try await DropDestination.wait(for: "nobody", connection: connection)
                    } catch {
                        answers.add("withdrawn")
                    }
                }
            }
            let drag = try await Drag.drop(from: broker.connect())
            await asked.wait()
            await drag.cancel()
            try await site.happened("ended")
            #expect(answers.lines == ["withdrawn"] && site.log.endings == ["failed cancelled"])
            await site.stop()
        }
    }
}
