import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing
import TypeIdentifiers

private typealias Drag = PasteboardKit.Drag

@Suite(.inProcess)
struct DragTests {
    @Test("an item is dragged from one process and dropped in another, and both are notified of the outcome")
    func copy() async throws {
        try await DragBroker.with { broker in
            let texts = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, location in
                #expect(location == DropLocation("site", indexPath: [0, 3], point: Point(x: 1.5, y: -2)))
                for text in try await session.load(String.self) { texts.add(text) }
            }
            let drag = try await Drag.begin([.text("a"), .text("b")], connection: broker.connect())
            try await drag.reach(row: 1)
            let location = DropLocation("site", indexPath: [0, 3], point: Point(x: 1.5, y: -2))
            #expect(try await drag.move(to: location).operation == .copy)
            #expect(try await drag.drop() == .copy)
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(drag.transferredItems.count == 2 && drag.deletableItems.isEmpty, "what was copied stays")
            #expect(texts.lines == ["a", "b"])
            try await site.happened("ended")
            #expect(await site.stop() == ["entered", "updated 1", "updated 3", "ended"])
        }
    }

    @Test(
        "before a drop a destination sees types, names and counts; it can load only while it performs the drop (S52)"
    )
    func window() async throws {
        try await DragBroker.with { broker in
            let kept = Lock<ItemProvider?>(nil)
            let codes = DropSite.Log()
            let site = DropSite(
                on: broker.connect(),
                propose: { session, _ in
                    #expect(session.hasItemsConforming(toTypeIdentifiers: ["public.text"]))
                    #expect(!session.hasItemsConforming(toTypeIdentifiers: ["public.image"]))
                    #expect(session.canLoad(String.self))
                    #expect(session.items[0].itemProvider.suggestedName == "note")
                    await codes.load(session.items[0].itemProvider)
                    return DropProposal(operation: .copy)
                },
                perform: { session, _ in
                    await codes.load(session.items[0].itemProvider)
                    kept.withLock { $0 = session.items[0].itemProvider }
                }
            )
            let item = DragItem.text("x")
            item.itemProvider.suggestedName = "note"
            let drag = try await Drag.drop([item], from: broker.connect())
            #expect(try await drag.outcome().text == "transferred copy")
            await codes.load(try #require(kept.withLock { $0 }))
            #expect(codes.lines == ["not-loadable-now", "loaded", "not-loadable-now"])
            await site.stop()
        }
    }

    @Test("a handler's loads may finish after it has returned, but no new load can begin")
    func windowClosed() async throws {
        try await DragBroker.with { broker in
            let (slow, answered) = (Gate(), Gate())
            let item = ItemProvider.waiting(.utf8PlainText, for: slow, "slow")
            item.registerDataRepresentation(for: .json) { Data("{}".utf8) }
            let late = Lock<ItemProvider?>(nil)
            let site = DropSite(on: broker.connect()) { session, _ in
                let provider = session.items[0].itemProvider
                provider.loadDataRepresentation(for: .utf8PlainText) { data, _ in
                    #expect(data == Data("slow".utf8))
                    answered.open()
                }
                late.withLock { $0 = provider }
            }
            let drag = try await Drag.drop([DragItem(itemProvider: item)], from: broker.connect())
            let codes = DropSite.Log()
            // It may take a moment until the handler has returned.
            try await eventually("a refused load") {
                if let provider = late.withLock({ $0 }) { await codes.load(provider, as: .json) }
                return codes.lines.last == "not-loadable-now"
            }
            #expect(!answered.isOpen)
            slow.open()
            await answered.wait()
            #expect(try await drag.outcome().text == "transferred copy")
            await site.stop()
        }
    }

    @Test("items can be added at any time before the drop, and are loaded like the others (S17)")
    func adding() async throws {
        try await DragBroker.with { broker in
            let texts = DropSite.Log()
            let site = DropSite(
                on: broker.connect(),
                propose: { session, _ in DropProposal(operation: session.items.count == 3 ? .copy : .forbidden) },
                perform: { session, _ in
                    for text in try await session.load(String.self) { texts.add(text) }
                }
            )
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            try await drag.add([.text("b")])
            #expect(try await drag.reach().operation == .forbidden)
            try await drag.add([.text("c")])
            #expect(drag.items.count == 3)
            // The destination is asked for a new proposal before the drop.
            #expect(try await drag.drop() == .copy)
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(texts.lines == ["a", "b", "c"])
            await #expect(throws: PasteboardError.self) { try await drag.add([.text("d")]) }
            await site.stop()
        }
    }

    @Test("items that cannot be dragged are refused, and the session does not change")
    func refusedItems() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            await expectError(.invalidArgument) { try await Drag.begin([], connection: connection) }
            let empty = DragItem(itemProvider: ItemProvider())
            await expectError(.invalidArgument) { try await Drag.begin([.text("a"), empty], connection: connection) }
            let drag = try await Drag.begin((0..<511).map { .text("\($0)") }, connection: connection)
            await #expect(throws: PasteboardError.self) { try await drag.add([.text("x"), .text("y")]) }
            try await drag.add([.text("x")])
            #expect(drag.items.count == 512)
        }
    }

    @Test(
        "a pointer update to a missing or busy destination fails; if nothing is accepted, it proposes cancel"
    )
    func refusals() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(accepting: [.image], on: broker.connect())
            let desk = DropSite("desk", on: broker.connect())
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            let declined = try await drag.reach()
            #expect(declined.operation == .cancel)
            #expect(declined.refusal?.code == .typeUnavailable)
            #expect(declined.refusal?.message == "destination site accepts none of the items: it accepts public.image")
            let taken = try await drag.reach("desk")
            #expect(taken.operation == .copy && taken.refusal == nil)
            let other = try await Drag.begin([.text("b")], connection: broker.connect())
            await expectError(.refused) { try await other.move(to: .row(nil, of: "desk")) }
            let unnamed = await expectError(.invalidArgument) { try await drag.move(to: DropLocation("")) }
            #expect(unnamed?.message.contains("name the destination") == true)
            let missing = await expectError(.nothingHere) { try await drag.move(to: .row(0, of: "?")) }
            #expect(missing?.message == "there is no destination ?; available: desk, site")
            #expect(try await drag.move(to: nil).operation == .cancel)
            #expect(try await drag.drop() == .cancel)
            #expect(try await drag.outcome().text == "cancelled")
            #expect(try await other.reach("desk").operation == .copy)
            await expectError(.invalidArgument) { try await drag.move(to: .row(0)) }
            await other.cancel()
            #expect(
                await desk.stop() == [
                    "entered", "updated -1", "exited", "ended", "entered", "updated -1", "exited", "ended",
                ]
            )
            #expect(await site.stop().isEmpty)
        }
    }

    @Test(
        "an invalid location is refused before it is sent",
        arguments: [
            DropLocation("site", indexPath: [0, -1]), DropLocation("site", point: Point(x: .nan, y: 0)),
            DropLocation("site", point: Point(x: 0, y: 1e300)), DropLocation(String(repeating: "x", count: 256)),
            DropLocation("site", indexPath: IndexPath(indexes: 0..<17)),
        ]
    )
    func places(_ location: DropLocation) async throws {
        try await DragBroker.with { broker in
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            await expectError(.invalidArgument) { try await drag.move(to: location) }
        }
    }

    @Test(
        "simultaneous pointer updates all get an answer, and a destination that answers too late counts as cancel"
    )
    func lateProposal() async throws {
        try await DragBroker.with(limits: ["proposal": "1ms"]) { broker in
            let gate = Gate()
            let site = DropSite(on: broker.connect()) { _, _ in
                await gate.wait()
                return .copy
            } perform: { _, _ in
            }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            #expect(try await drag.reach().operation == .cancel)
            gate.open()
            await withTaskGroup(of: DropOperation?.self) { group in
                for row in 0..<50 {
                    group.addTask { try? await drag.move(to: .row(row)).operation }
                }
                for await operation in group { #expect(operation != nil) }
            }
            await site.stop()
        }
    }

    @Test("a drop whose handler loads nothing is cancelled (S64)")
    func nothingTaken() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect())
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            try await drag.reach()
            #expect(try await drag.drop() == .copy)
            #expect(try await drag.drop() == .copy)
            #expect(try await drag.outcome().text == "cancelled")
            #expect(drag.transferredItems.isEmpty)
            try await site.happened("ended")
            #expect(site.log.endings == ["cancelled"])
            await site.stop()
        }
    }

    @Test("a second run of a destination is refused, and the first one still gets its events")
    func secondRun() async throws {
        try await DragBroker.with { broker in
            let destination = DropDestination(name: "site", connection: broker.connect())
            var events = destination.events.makeAsyncIterator()
            let running = Task { try await destination.run { _, _ in } }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            try await drag.reach()
            await expectError(.refused) { try await destination.run { _, _ in } }
            await drag.cancel()
            var count = 0
            while case let event? = await events.next() {
                count += 1
                if case .ended = event { running.cancel() }
            }
            #expect(count == 4)
            try await running.value
        }
    }

    @Test("loads beyond the limit of a connection still count, although the handler returns before they begin")
    func manyLoads() async throws {
        try await DragBroker.with { broker in
            let count = 300
            let loaded = Counter()
            let site = DropSite(on: broker.connect()) { session, _ in
                for item in session.items {
                    item.itemProvider.loadObject(ofClass: String.self) { text, _ in
                        if text != nil { loaded.increment() }
                    }
                }
            }
            let drag = try await Drag.drop((0..<count).map { .text("\($0)") }, from: broker.connect())
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(loaded.value == count)
            #expect(drag.transferredItems.count == count)
            await site.stop()
        }
    }
}

extension DropSite.Log {
    /// Loads an item and adds the result to the log.
    func load(_ provider: ItemProvider, as type: UniformType = .plainText) async {
        do throws(PasteboardError) {
            _ = try await provider.loadData(for: type)
            add("loaded")
        } catch {
            add("\(error.code)")
        }
    }
}
