import Foundation
import PasteboardKit
import TableDragAndDrop
import TestSupport
import Testing

@Suite("Table drags through a broker", .inProcess)
@MainActor
struct TableDragTests {
    @Test("if rows of another table are added to a drag, both tables are notified of the outcome and its operation")
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
                #expect(table.events == ["will begin", "did end", "did transfer by copy"])
                #expect(!table.table.hasActiveDrag)
            }
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
                #expect(coordinator.session.isRestrictedToDraggingApplication)
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
