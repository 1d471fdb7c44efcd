import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

@Suite("Drag sessions within one process", .inProcess)
struct LocalDragTests {
    @Test(
        "a destination of the source's process gets the drag, its context and its objects without a load"
    )
    func local() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let objects = DropSite.Log()
            let seen = Lock<(any DragSession)?>(nil)
            let site = DropSite(
                on: connection,
                propose: { session, _ in
                    seen.withLock { $0 = session.localDragSession }
                    // Access before the drop does not take the item.
                    let object = await MainActor.run { session.items[0].localObject as? String }
                    #expect(object == "row 1")
                    return DropProposal(operation: .move)
                },
                perform: { session, _ in
                    await MainActor.run {
                        #expect(session.localDragSession?.localContext as? String == "table")
                        for item in session.items { objects.add(item.localObject as? String ?? "nothing") }
                    }
                }
            )
            let items: [DragItem] = [.text("a"), .text("b")]
            await MainActor.run { for (index, item) in items.enumerated() { item.localObject = "row \(index + 1)" } }
            let drag = try await Drag.begin(items, connection: connection)
            await MainActor.run { drag.localContext = "table" }
            try await drag.reach()
            #expect(seen.withLock { $0 } === drag)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred move")
            #expect(objects.lines == ["row 1", "row 2"])
            #expect(drag.transferredItems.map { ObjectIdentifier($0) } == items.map { ObjectIdentifier($0) })
            await site.stop()
        }
    }

    @Test("access to an object takes its item only if the object exists and the drop is being performed")
    func notTaken() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let site = DropSite(
                on: connection,
                propose: { session, _ in
                    await MainActor.run { _ = session.items[1].localObject }
                    return DropProposal(operation: .move)
                },
                perform: { session, _ in await MainActor.run { #expect(session.items[0].localObject == nil) } }
            )
            let items: [DragItem] = [.text("a"), .text("b")]
            await MainActor.run { items[1].localObject = 7 }
            let drag = try await Drag.begin(items, connection: connection)
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == "cancelled")
            await site.stop()
        }
    }

    @Test("an observer of a drag is notified in order, before the call that moves, drops or waits returns")
    @MainActor
    func observer() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect()) { session, _ in
                _ = try await session.load(String.self)
            }
            let observer = Observer()
            let drag = Drag(connection: broker.connect())
            drag.prepare([.text("a")])
            #expect(drag.items.count == 1)
            try await drag.start(Drag.Options(), observer: observer)
            while (try? await drag.move(to: .row(1))) == nil { observer.lines = [] }
            #expect(observer.lines == ["moved"])
            try await drag.add([.text("b")])
            #expect(observer.lines == ["moved", "adding 1"])
            try await drag.drop()
            #expect(Array(observer.lines.prefix(4)) == ["moved", "adding 1", "will end copy", "did end copy"])
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(observer.lines == ["moved", "adding 1", "will end copy", "did end copy", "transferred"])
            await drag.cancel()
            #expect(observer.lines.count == 5)

            let second = Drag(connection: broker.connect())
            second.prepare([.text("a")])
            let other = Observer()
            try await second.start(Drag.Options(), observer: other)
            await second.cancel()
            #expect(other.lines == ["will end cancel", "did end cancel"])
            #expect(try await second.outcome().text == "cancelled")
            await site.stop()
        }
    }

    @MainActor
    private final class Observer: DragObserver {
        var lines: [String] = []

        func handle(_ event: DragEvent, of drag: Drag) {
            switch event {
            case .moved: lines.append("moved")
            case .willAdd(let items): lines.append("adding \(items.count)")
            case .willEnd(let operation): lines.append("will end \(operation)")
            case .didEnd(let operation): lines.append("did end \(operation)")
            case .transferred: lines.append("transferred")
            }
        }
    }
}
