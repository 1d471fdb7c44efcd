import Foundation
import PasteboardKit
import TableDragAndDrop
import TestSupport
import Testing

@Suite("Table drags through a broker", .inProcess)
@MainActor
struct TableDragTests {
    @Test("for a drag that is refused at its beginning, the delegate is notified of the begin and the end")
    func refused() async throws {
        final class Empty: TableDragDelegate {
            var events: [String] = []
            func tableView(
                _ tableView: Table,
                itemsForBeginning session: any DragSession,
                at indexPath: IndexPath
            ) -> [DragItem] { [DragItem(itemProvider: ItemProvider())] }
            func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
                events.append("will begin")
            }
            func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) { events.append("did end") }
        }
        try await DragBroker.with { broker in
            let places = PlacesTable(["a"], on: broker.connect())
            let empty = Empty()
            places.table.dragDelegate = empty
            var code: PasteboardError.Code?
            do throws(PasteboardError) { _ = try await places.table.beginDrag(at: [0, 0]) } catch { code = error.code }
            #expect(code == .invalidArgument)
            #expect(empty.events == ["will begin", "did end"])
            #expect(!places.table.hasActiveDrag)
        }
    }

    @Test("if rows of another table are added to a drag, both tables are notified of the outcome")
    func addedFromAnotherTable() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let one = PlacesTable(["a"], on: connection)
            let two = PlacesTable(["b"], on: connection)
            let taker = PlacesTable([], on: broker.connect())
            try await taker.register()
            let drag = try #require(try await one.drag(0))
            #expect(try await two.table.addItems(to: drag, at: IndexPath(row: 0, section: 0)))
            #expect(one.table.hasActiveDrag && two.table.hasActiveDrag)
            #expect(try await drag.drop(at: 0) == "transferred copy")
            #expect(taker.rows == ["a", "b"])
            for table in [one, two] {
                #expect(table.events == ["will begin", "did end", "did transfer"])
                #expect(!table.table.hasActiveDrag)
            }
        }
    }

    @Test(
        "if an addition is refused, the table's delegate is notified of the begin and the end, and can add rows later"
    )
    func refusedAddition() async throws {
        try await DragBroker.with(limits: ["metadata-per-session": "4KiB"]) { broker in
            let connection = broker.connect()
            let one = PlacesTable(["a"], on: connection)
            let two = PlacesTable(["b"], on: connection)
            let drag = try #require(try await one.drag(0))
            let heavy = Heavy()
            two.table.dragDelegate = heavy
            let row = IndexPath(row: 0, section: 0)
            await #expect(throws: PasteboardError.self) { try await two.table.addItems(to: drag, at: row) }
            #expect(heavy.events == ["will begin", "did end"])
            #expect(!two.table.hasActiveDrag && one.table.hasActiveDrag)
            two.table.dragDelegate = two
            #expect(try await two.table.addItems(to: drag, at: row))
            await drag.cancel()
            _ = try await drag.outcome()
            for table in [one, two] { #expect(table.events == ["will begin", "did end"]) }
            #expect(heavy.events == ["will begin", "did end"])
        }
    }

    /// A delegate that adds more items than fit into a session.
    private final class Heavy: TableDragDelegate {
        var events: [String] = []

        func tableView(
            _ tableView: Table,
            itemsForBeginning session: any DragSession,
            at indexPath: IndexPath
        ) -> [DragItem] { [] }

        func tableView(
            _ tableView: Table,
            itemsForAddingTo session: any DragSession,
            at indexPath: IndexPath,
            point: CGPoint
        ) -> [DragItem] {
            (0..<100).map { number in
                let item = DragItem.text("\(number)")
                item.itemProvider.suggestedName = String(repeating: "x", count: 100)
                return item
            }
        }

        func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
            events.append("will begin")
        }

        func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) { events.append("did end") }
    }

    @Test("the delegate is notified of the operation with which items were transferred", arguments: [true, false])
    func operation(isMove: Bool) async throws {
        final class Source: TableDragDelegate {
            var operations: [DropOperation] = []
            func tableView(
                _ tableView: Table,
                itemsForBeginning session: any DragSession,
                at indexPath: IndexPath
            ) -> [DragItem] { [.text("x")] }
            func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool {
                true
            }
            func tableView(
                _ tableView: Table,
                dragSession session: any DragSession,
                didTransferItemsBy operation: DropOperation
            ) {
                operations.append(operation)
            }
        }
        try await DragBroker.with { broker in
            let giver = PlacesTable(["x"], on: broker.connect())
            let source = Source()
            giver.table.dragDelegate = source
            let site = DropSite(
                on: broker.connect(),
                propose: { _, _ in DropProposal(operation: isMove ? .move : .copy) }
            ) { session, _ in
                _ = try await session.load(String.self)
            }
            let drag = try #require(try await giver.drag(0))
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == (isMove ? "transferred move" : "transferred copy"))
            #expect(source.operations == [isMove ? .move : .copy])
            await site.stop()
        }
    }

    @Test("rows can be added to the drag of an interaction, and items of an interaction to a drag of rows")
    func addedBetweenKinds() async throws {
        final class Source: DragInteractionDelegate {
            var events: [String] = []
            func dragInteraction(
                _ interaction: DragInteraction,
                itemsForBeginning session: any DragSession
            ) -> [DragItem] { [.text("view")] }
            func dragInteraction(
                _ interaction: DragInteraction,
                itemsForAddingTo session: any DragSession,
                withTouchAt point: CGPoint
            ) -> [DragItem] { [.text("view")] }
            func dragInteraction(
                _ interaction: DragInteraction,
                session: any DragSession,
                didEndWith operation: DropOperation
            ) {
                events.append("did end")
            }
        }
        try await DragBroker.with { broker in
            let places = PlacesTable(["row"], on: broker.connect())
            let (source, root) = (Source(), InteractionView(frame: CGRect(x: 0, y: 0, width: 9, height: 9)))
            root.connection = places.table.connection
            root.addSubview(places.table)
            root.addInteraction(DragInteraction(delegate: source))
            let (row, point) = (IndexPath(row: 0, section: 0), CGPoint(x: 1, y: 1))

            let first = try #require(try await root.beginDrag(at: point))
            #expect(try await places.table.addItems(to: first, at: row))
            #expect(first.items.count == 2)
            await first.cancel()
            _ = try await first.outcome()
            let second = try #require(try await places.drag(0))
            #expect(try await root.addItems(to: second, at: point))
            await second.cancel()
            _ = try await second.outcome()
            #expect(places.events == ["will begin", "did end", "will begin", "did end"])
            #expect(source.events == ["did end", "did end"])
        }
    }

    @Test("of two tables side by side, the session is over the one at its point, at the row of its index path")
    func sideBySide() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let root = InteractionView(frame: CGRect(x: 0, y: 0, width: 20, height: 10))
            let left = PlacesTable(["a"], on: connection)
            let right = PlacesTable(["b"], on: connection)
            for (index, table) in [left.table, right.table].enumerated() {
                table.frame = CGRect(x: Double(index) * 10, y: 0, width: 10, height: 10)
                root.addSubview(table)
            }
            try await root.register(as: "places", connection: connection)
            let giver = PlacesTable(["x"], on: broker.connect())
            let drag = try #require(try await giver.drag(0))
            let row = IndexPath(row: 1, section: 0)
            try await drag.move(to: DropLocation("places", indexPath: row, point: Point(x: 5, y: 5)))
            #expect(left.table.hasActiveDrop && !right.table.hasActiveDrop)
            try await drag.move(to: DropLocation("places", indexPath: row, point: Point(x: 15, y: 5)))
            #expect(!left.table.hasActiveDrop && right.table.hasActiveDrop)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect([left.rows, right.rows] == [["a"], ["b", "x"]])
            try await right.happened("end")
            #expect(left.events == ["enter", "exit", "end"])
        }
    }

    @Test("a restricted drag stays in its process, and is copied there if it may not be moved")
    func allowed() async throws {
        final class Own: TableDragDelegate {
            func tableView(
                _ tableView: Table,
                itemsForBeginning session: any DragSession,
                at indexPath: IndexPath
            ) -> [DragItem] { [.text("x")] }
            func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool {
                false
            }
            func tableView(
                _ tableView: Table,
                dragSessionIsRestrictedToDraggingApplication session: any DragSession
            ) -> Bool { true }
        }
        final class Only: TableDropDelegate {
            var texts: [String] = []
            func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
                coordinator.session.loadObjects(ofClass: String.self) { self.texts = $0 }
            }
        }
        try await DragBroker.with { broker in
            let places = PlacesTable(["a"], on: broker.connect())
            let other = PlacesTable([], on: broker.connect())
            try await other.register()
            let (own, only) = (Own(), Only())
            places.table.dragDelegate = own
            places.table.dropDelegate = only
            let drag = try #require(try await places.drag(0))
            #expect(drag.isRestrictedToDraggingApplication && !drag.allowsMoveOperation)
            let elsewhere = try? await drag.move(to: .row(0, of: "places"))
            #expect(elsewhere?.operation != .copy)
            #expect(other.events == [])
            #expect(try await drag.move(to: .row(0, of: "")).operation == .copy)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(only.texts == ["x"])
        }
    }
}
