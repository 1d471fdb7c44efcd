import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TableDragAndDrop
import TestSupport
import Testing

@Suite("Table placeholders for items that are being loaded", .inProcess)
@MainActor
struct TablePlaceholderTests {
    /// A table into which rows are moved from another process. Each row gets a placeholder and is loaded separately.
    @MainActor
    private final class Scene: TableDropDelegate {
        let places: PlacesTable
        let giver: PlacesTable
        var contexts: [any TableDropPlaceholderContext] = []
        var loaded: [Int: String] = [:]
        let log = DropSite.Log()

        init(_ broker: DragBroker) async throws {
            places = PlacesTable(["a", "b"], on: broker.connect())
            giver = PlacesTable(["x", "y"], on: broker.connect())
            places.table.dropDelegate = self
            try await places.register()
        }

        func tableView(
            _ tableView: Table,
            dropSessionDidUpdate session: any DropSession,
            withDestinationIndexPath destinationIndexPath: IndexPath?
        ) -> TableDropProposal {
            TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        }

        func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
            let end = IndexPath(row: places.rows.count, section: 0)
            let path = coordinator.destinationIndexPath ?? end
            for (index, item) in coordinator.items.enumerated() {
                let placeholder = TableDropPlaceholder(
                    insertionIndexPath: IndexPath(row: path.row + index, section: path.section),
                    reuseIdentifier: "place"
                )
                contexts.append(coordinator.drop(item.dragItem, to: placeholder))
                coordinator.session.extendDropWindow {
                    self.loaded[index] = try? await item.dragItem.itemProvider.load(String.self)
                    self.log.add("loaded \(index)")
                }
            }
        }

        /// Drops both rows of the giver at the second row, and returns after they were loaded.
        func drop() async throws -> PasteboardKit.Drag {
            giver.table.allowsMultipleSelection = true
            for row in 0...1 { giver.table.selectRow(at: IndexPath(row: row, section: 0)) }
            let drag = try #require(try await giver.drag(0))
            try await drag.move(to: .row(1, of: "places"))
            #expect(try await drag.drop() == .move)
            try await eventually("two loads") { log.lines.count >= 2 }
            return drag
        }

        func commit(_ index: Int) -> Bool {
            contexts[index].commitInsertion { path in
                places.insertSilently(loaded[index] ?? "?", at: path)
            }
        }
    }

    @Test("a move is complete when every placeholder has become a row; until then nothing is deleted (S59)")
    func held() async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await scene.drop()
            let outcome = Task {
                let outcome = try await drag.outcome().text
                scene.log.add("outcome")
                return outcome
            }
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
            #expect(scene.giver.events == ["will begin", "did end", "did transfer by move"])
        }
    }

    @Test("if a placeholder was removed, its item is not deleted at the source", arguments: [true, false])
    func notTaken(isReload: Bool) async throws {
        try await DragBroker.with { broker in
            let scene = try await Scene(broker)
            let drag = try await scene.drop()
            #expect(scene.commit(0))
            if isReload { scene.places.table.reloadData() } else { #expect(scene.contexts[1].deletePlaceholder()) }
            #expect(try await drag.outcome().text == "failed refused")
            #expect(!scene.commit(1))
            #expect(scene.giver.events == ["will begin", "did end"])
            #expect(scene.places.rows == ["a", "x", "b"])
        }
    }
}
