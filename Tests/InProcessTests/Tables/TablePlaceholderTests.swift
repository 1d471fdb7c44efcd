import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TableDragAndDrop
import TestSupport
import Testing

/// The numbers are those of the catalogue "Drag and drop: behaviours".
@Suite("Table placeholders for items that are being loaded", .inProcess)
@MainActor
struct TablePlaceholderTests {
    /// A table into which rows are moved from another process. Each row gets a placeholder and is loaded separately.
    @MainActor
    private final class Scene {
        let places: PlacesTable
        let giver: PlacesTable
        let mover = Mover()
        var contexts: [any TableDropPlaceholderContext] = []
        var loaded: [Int: String] = [:]
        let log = DropSite.Log()
        /// Strong references to the delegates, because tables do not retain them.
        var sourceDelegates: [Mover] = []

        init(_ broker: DragBroker, rows: [String] = ["a", "b"]) async throws {
            places = PlacesTable(.permissive, rows, on: broker.connect())
            giver = PlacesTable(.permissive, ["x", "y"], on: broker.connect())
            try await places.register()
            places.table.dropDelegate = mover
            mover.onDrop = { [unowned self] in perform($0) }
        }

        private func perform(_ coordinator: any TableDropCoordinator) {
            let end = IndexPath(row: places.rows.count, section: 0)
            let path = coordinator.destinationIndexPath ?? end
            for (index, item) in coordinator.items.enumerated() {
                let placeholder = TableDropPlaceholder(
                    insertionIndexPath: IndexPath(row: path.row + index, section: path.section),
                    reuseIdentifier: "place"
                )
                contexts.append(coordinator.drop(item.dragItem, to: placeholder))
                coordinator.session.extendDropWindow {
                    self.loaded[index] = try? await item.dragItem.itemProvider.loadObject(ofClass: String.self)
                    self.log.add("loaded \(index)")
                }
            }
        }

        func loads(_ count: Int) async throws {
            try await eventually("\(count) loads") { log.lines.count { $0.hasPrefix("loaded") } >= count }
        }

        func commit(_ index: Int) -> Bool {
            contexts[index].commitInsertion { path in
                places.insertSilently(loaded[index] ?? "?", at: path)
            }
        }
    }

    private final class Mover: TableDropDelegate, TableDragDelegate {
        var onDrop: ((any TableDropCoordinator) -> Void)?
        var isTransferred = false
        var items: [DragItem] = []

        func tableView(
            _ tableView: Table,
            itemsForBeginning session: any DragSession,
            at indexPath: IndexPath
        ) -> [DragItem] { items }

        func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool {
            true
        }
        func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
            isTransferred = true
        }

        func tableView(
            _ tableView: Table,
            dropSessionDidUpdate session: any DropSession,
            withDestinationIndexPath destinationIndexPath: IndexPath?
        ) -> TableDropProposal {
            TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        }

        func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
            onDrop?(coordinator)
        }
    }

    private func drop(_ scene: Scene, _ items: [DragItem], on broker: DragBroker) async throws -> PasteboardKit.Drag {
        let source = Mover()
        scene.giver.table.dragDelegate = source
        source.items = items
        scene.sourceDelegates.append(source)
        let drag = try #require(try await scene.giver.drag(0))
        try await drag.move(to: .row(1, of: "places"))
        #expect(try await drag.drop() == .move)
        return drag
    }

    @Test("59: a move is complete when every placeholder has become a row; until then nothing is deleted")
    func held() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await drop(scene, [.text("x"), .text("y")], on: broker)
            let outcome = Task {
                let outcome = try await drag.outcome().text
                scene.log.add("outcome")
                return outcome
            }
            try await scene.loads(2)
            #expect(scene.places.table.hasUncommittedUpdates)
            #expect(scene.commit(1))
            // Messages that were sent before would have arrived by now.
            let other = try await PasteboardKit.Drag.begin([.text("z")], connection: scene.giver.table.connection)
            await other.cancel()
            _ = try await other.outcome()
            #expect(!scene.log.lines.contains("outcome"))
            #expect(scene.commit(0))
            #expect(try await outcome.value == "transferred move")
            #expect(scene.places.rows == ["a", "x", "y", "b"])
            #expect(scene.sourceDelegates.map(\.isTransferred) == [true])
        }
    }

    @Test("if a placeholder was removed, its item is not deleted at the source", arguments: [true, false])
    func notTaken(isReload: Bool) async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await drop(scene, [.text("x"), .text("y")], on: broker)
            try await scene.loads(2)
            #expect(scene.commit(0))
            if isReload { scene.places.table.reloadData() } else { #expect(scene.contexts[1].deletePlaceholder()) }
            #expect(try await drag.outcome().text == "failed refused")
            #expect(!scene.commit(1))
            #expect(scene.sourceDelegates.map(\.isTransferred) == [false])
            #expect(scene.places.rows == ["a", "x", "b"])
        }
    }

    @Test("if the table is deallocated, the items of its placeholders are not taken, and a move does not delete them")
    func tableGone() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let rows = PlacesTable(.permissive, ["a"], on: connection)
            let mover = Mover()
            var table: Table? = Table()
            table?.dataSource = rows
            table?.dropDelegate = mover
            let isLoaded = Gate()
            mover.onDrop = { coordinator in
                let item = coordinator.items[0].dragItem
                let placeholder = TableDropPlaceholder(insertionIndexPath: [0, 0], reuseIdentifier: "place")
                _ = coordinator.drop(item, to: placeholder)
                coordinator.session.extendDropWindow {
                    _ = try await item.itemProvider.loadObject(ofClass: String.self)
                    isLoaded.open()
                }
            }
            let root = InteractionView()
            table.map(root.addSubview)
            try await root.register(as: "places", connection: connection)
            let source = Mover()
            source.items = [.text("x")]
            let giver = PlacesTable(.permissive, ["x"], on: broker.connect())
            giver.table.dragDelegate = source
            let drag = try #require(try await giver.drag(0))
            try await drag.move(to: .row(0, of: "places"))
            #expect(try await drag.drop() == .move)
            await isLoaded.wait()
            // The program releases the table with its placeholder.
            table?.removeFromSuperview()
            table = nil
            #expect(try await drag.outcome().text == "failed refused")
            #expect(!source.isTransferred)
        }
    }

    @Test("if a block adds the item to the model and reloads the table, the item is taken and the move complete")
    func reloadedByBlock() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await drop(scene, [.text("x")], on: broker)
            try await scene.loads(1)
            let isCommitted = scene.contexts[0].commitInsertion { path in
                scene.places.insertSilently("x", at: path)
                scene.places.table.reloadData()
            }
            #expect(isCommitted)
            #expect(try await drag.outcome().text == "transferred move")
            #expect(scene.places.rows == ["a", "x", "b"])
        }
    }

    /// A text that is produced when a gate opens.
    private func slow(until gate: Gate) -> DragItem {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) {
            await gate.wait()
            return Data("slow".utf8)
        }
        return DragItem(itemProvider: provider)
    }

    @Test("if rows change during the load, the loaded row is still inserted at its placeholder")
    func concurrent() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let goOn = Gate()
            let drag = try await drop(scene, [slow(until: goOn)], on: broker)
            try await eventually("a placeholder") { !scene.contexts.isEmpty }
            scene.places.remove(at: 1)
            scene.places.remove(at: 0)
            goOn.open()
            try await scene.loads(1)
            #expect(scene.commit(0))
            #expect(try await drag.outcome().text == "transferred move")
            #expect(scene.places.rows == ["slow"])
        }
    }

    @Test("if no placeholder is used and rows are removed during the load, the loaded row is inserted at the end")
    func clamped() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, ["a", "b", "c"], on: broker.connect())
            try await places.register()
            let (asked, goOn) = (Gate(), Gate())
            let slow = ItemProvider()
            slow.registerDataRepresentation(for: .utf8PlainText) {
                asked.open()
                await goOn.wait()
                return Data("slow".utf8)
            }
            let drag = try await PasteboardKit.Drag.begin([DragItem(itemProvider: slow)], connection: broker.connect())
            try await drag.move(to: .row(3, of: "places"))
            try await drag.drop()
            await asked.wait()
            places.replaceAll([["a"]])
            goOn.open()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(places.rows == ["a", "slow"])
        }
    }

    @Test("an item whose bytes cannot be decoded is left out, and its drop ends")
    func foreignClass() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, ["a"], on: broker.connect())
            try await places.register()
            let provider = ItemProvider()
            // The bytes are registered as UTF-8 text, but are not valid UTF-8.
            provider.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) {
                completion in
                completion(Data([0xFF, 0xFE, 0xC0]), nil)
                return nil
            }
            let drag = try await PasteboardKit.Drag.begin(
                [DragItem(itemProvider: provider)],
                connection: broker.connect()
            )
            try await drag.drop(at: 0)
            try await places.happened("end")
            #expect(places.rows == ["a"])
        }
    }

    @Test("58, 61, 62: a local object is used without a load")
    func localObject() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let places = PlacesTable(.permissive, ["a"], on: connection)
            try await places.register()
            places.onDrop = { coordinator in
                for item in coordinator.items {
                    guard let text = item.dragItem.localObject as? String else { continue }
                    places.insert([text], at: IndexPath(row: 0, section: 0))
                    coordinator.drop(item.dragItem, toRowAt: IndexPath(row: 0, section: 0))
                }
            }
            let counter = Counter()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .utf8PlainText) {
                counter.increment()
                return Data()
            }
            let item = DragItem(itemProvider: provider)
            item.localObject = "object"
            let drag = try await PasteboardKit.Drag.begin([item], connection: connection)
            #expect(try await drag.drop(at: 0) == "transferred copy")
            #expect(places.rows == ["object", "a"])
            #expect(counter.value == 0)
        }
    }

    @Test("while an item is loaded, other items can be dropped and the table's own rows reordered")
    func othersMeanwhile() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let goOn = Gate()
            let first = try await drop(scene, [slow(until: goOn)], on: broker)
            try await eventually("a placeholder") { !scene.contexts.isEmpty }
            scene.places.table.dropDelegate = scene.places

            let giver = PlacesTable(.permissive, ["x"], on: broker.connect())
            let second = try #require(try await giver.drag(0))
            #expect(try await second.drop(at: 2) == "transferred copy")
            let own = try #require(try await scene.places.drag(0))
            #expect(try await own.drop(at: 1, of: "") == "transferred move")
            #expect(scene.places.rows == ["b", "a", "x"])

            goOn.open()
            try await scene.loads(1)
            #expect(scene.commit(0))
            #expect(try await first.outcome().text == "transferred move")
            #expect(scene.places.rows.sorted() == ["a", "b", "slow", "x"])
        }
    }

    @Test("two sessions can be over a table at once, independently of each other")
    func twoAtOnce() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, ["a"], on: broker.connect())
            try await places.register()
            let givers = ["x", "y"].map { PlacesTable(.permissive, [$0], on: broker.connect()) }
            let (one, two) = (try #require(try await givers[0].drag(0)), try #require(try await givers[1].drag(0)))
            #expect(try await one.move(to: .row(0, of: "places")).operation == .copy)
            #expect(try await two.move(to: .row(1, of: "places")).operation == .copy)
            await one.cancel()
            _ = try await one.outcome()
            try await places.happened("end")
            #expect(places.table.hasActiveDrop && places.table.hasUncommittedUpdates)
            #expect(try await two.drop(at: 1) == "transferred copy")
            #expect(places.rows == ["a", "y"])
            #expect(!places.table.hasActiveDrop && !places.table.hasUncommittedUpdates)
        }
    }

    @Test(
        "60: the delegate moves several rows of the table itself without a load, and the source deletes nothing"
    )
    func rowsOfItsOwn() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, ["a", "b", "c"], on: broker.connect())
            let mover = Mover()
            places.table.dropDelegate = mover
            mover.onDrop = { coordinator in
                places.table.performBatchUpdates {
                    for (index, item) in coordinator.items.enumerated() {
                        guard let source = item.sourceIndexPath else { continue }
                        places.table.moveRow(at: source, to: IndexPath(row: 1 + index, section: 0))
                        coordinator.drop(item.dragItem, toRowAt: IndexPath(row: 1 + index, section: 0))
                    }
                    places.setSilently(["c", "a", "b"])
                }
            }
            let drag = try #require(try await places.drag(0, 1))
            #expect(try await drag.drop(at: 3, of: "") == "transferred move")
            #expect(places.rows == ["c", "a", "b"])
            #expect(!places.events.contains("did transfer"))
            #expect(places.made.value == 0)
        }
    }

    @Test("80: if the destination ends while placeholders are open, a move has failed")
    func destinationGone() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await drop(scene, [.text("x")], on: broker)
            try await scene.loads(1)
            await scene.places.table.connection.close()
            #expect(try await drag.outcome().text == "failed destination-gone")
            #expect(scene.sourceDelegates.map(\.isTransferred) == [false])
        }
    }
}
