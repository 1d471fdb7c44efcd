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
            places = PlacesTable(rows, on: broker.connect())
            giver = PlacesTable(["x", "y"], on: broker.connect())
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
                    self.loaded[index] = try? await item.dragItem.itemProvider.load(String.self)
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

    @Test("a move is complete when every placeholder has become a row; until then nothing is deleted (S59)")
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
}
