import FoundationEssentials
import PasteboardKit
import TableDragAndDrop

/// The cat-toys tutorial: the owners of toys, with one table for each owner.
@MainActor
final class ToyOwners {
    private(set) var toys: [String: [String]]
    private(set) var tables: [String: ToyTable] = [:]

    init(_ toys: [String: [String]], on connection: PasteboardConnection) {
        self.toys = toys
        for owner in toys.keys.sorted() {
            tables[owner] = ToyTable(owner, of: self, on: connection)
        }
    }

    func move(_ toy: String, from origin: String, to owner: String) {
        toys[origin, default: []].removeAll { $0 == toy }
        toys[owner, default: []].append(toy)
        for table in tables.values { table.table.reloadData() }
    }

    /// Drags one owner's toy to another owner's table, and drops it.
    func drag(_ row: Int, of owner: String, to other: String, at target: Int?) async throws -> String {
        guard let drag = try await tables[owner]?.table.beginDrag(at: IndexPath(row: row, section: 0)) else {
            return "no drag"
        }
        return try await drag.drop(at: target, of: other)
    }
}

/// The table of one owner. It reports drops to `ToyOwners`, and changes no data itself.
@MainActor
final class ToyTable: TableDataSource, TableDragDelegate, TableDropDelegate {
    let owner: String
    let table = Table()
    weak var owners: ToyOwners?
    /// The origin of dragged rows, if it is not this owner.
    var origin: String?
    private(set) var events: [String] = []

    init(_ owner: String, of owners: ToyOwners, on connection: PasteboardConnection) {
        self.owner = owner
        self.owners = owners
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
        table.connection = connection
    }

    func register() async throws {
        try await table.register(as: owner, connection: table.connection)
    }

    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { owners?.toys[owner]?.count ?? 0 }

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        guard let toy = owners?.toys[owner]?[indexPath.row] else { return [] }
        session.localContext = origin ?? owner
        return [.text(toy)]
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        let session = coordinator.session
        events.append("perform \(coordinator.proposal.operation)")
        guard session.hasItemsConforming(toTypeIdentifiers: [UniformType.plainText.identifier]) else { return }
        session.loadObjects(ofClass: String.self) { texts in
            self.events.append("loaded \(texts.joined(separator: ","))")
            guard let toy = texts.first, let origin = session.localDragSession?.localContext as? String else { return }
            self.owners?.move(toy, from: origin, to: self.owner)
        }
    }
}
