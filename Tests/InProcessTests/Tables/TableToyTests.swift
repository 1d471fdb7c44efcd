import FoundationEssentials
import PasteboardKit
import TableDragAndDrop
import TestSupport
import Testing

/// The numbers are those of the catalogue "Drag and drop: behaviours".
@Suite("Tables: the cat-toys tutorial", .inProcess)
@MainActor
struct TableToyTests {
    private func owners(
        _ toys: [String: [String]],
        _ broker: DragBroker,
        process: UInt32 = 1
    ) async throws -> ToyOwners {
        let owners = ToyOwners(toys, on: broker.connect(process: process))
        for table in owners.tables.values { try await table.register() }
        return owners
    }

    @Test(
        "22, 23, 65-67: a toy is removed from its owner and becomes the last toy of the other owner",
        arguments: [
            (0, "b", ["a": ["ball"], "b": ["fish", "mouse"]]),
            (1, "b", ["a": ["mouse"], "b": ["fish", "ball"]]),
            (0, "a", ["a": ["ball", "mouse"], "b": ["fish"]]),
        ]
    )
    func moved(row: Int, to owner: String, after: [String: [String]]) async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse", "ball"], "b": ["fish"]], broker)
            #expect(try await owners.drag(row, of: "a", to: owner, at: 0) == "transferred move")
            #expect(owners.toys == after)
        }
    }

    @Test("66, 67: equal toys become one")
    func equal() async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse", "ball", "mouse"], "b": []], broker)
            _ = try await owners.drag(2, of: "a", to: "a", at: nil)
            #expect(owners.toys == ["a": ["ball", "mouse"], "b": []])
            #expect(owners.tables["a"]?.table.numberOfRows(inSection: 0) == 2)
        }
    }

    @Test("14, 71: the session's local context names the origin, even if no such owner exists")
    func context() async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse"], "b": []], broker)
            owners.tables["a"]?.origin = "nobody"
            _ = try await owners.drag(0, of: "a", to: "b", at: nil)
            #expect(owners.toys == ["a": ["mouse"], "b": ["mouse"], "nobody": []])
        }
    }

    @Test("68: if several toys are dragged, only the first is used")
    func several() async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse", "ball"], "b": []], broker)
            let table = try #require(owners.tables["a"]?.table)
            for row in 0..<2 { table.selectRow(at: IndexPath(row: row, section: 0)) }
            _ = try await owners.drag(0, of: "a", to: "b", at: nil)
            #expect(owners.toys == ["a": ["ball"], "b": ["mouse"]])
        }
    }

    @Test("22, 69: an item without text is accepted, and nothing is done with it")
    func image() async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse"]], broker)
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .png) { Data() }
            let drag = try await PasteboardKit.Drag.begin(
                [DragItem(itemProvider: provider)],
                connection: broker.connect()
            )
            #expect(try await drag.drop(at: 0, of: "a") == "cancelled")
            #expect(owners.tables["a"]?.events == ["perform copy"])
            #expect(owners.toys == ["a": ["mouse"]])
        }
    }

    @Test("70: a toy without an origin is loaded, and gets no owner")
    func foreign() async throws {
        try await DragBroker.with { broker in
            let near = try await owners(["a": ["mouse"]], broker)
            let drag = try await PasteboardKit.Drag.begin([.text("fish")], connection: broker.connect())
            #expect(try await drag.drop(at: 0, of: "a") == "transferred copy")
            #expect(near.tables["a"]?.events == ["perform copy", "loaded fish"])
            #expect(near.toys == ["a": ["mouse"]])
        }
    }

    @Test("72: if no owners exist, a drop changes nothing")
    func noOwners() async throws {
        try await DragBroker.with { broker in
            let owners = try await owners(["a": ["mouse"], "b": []], broker)
            owners.tables["b"]?.owners = nil
            #expect(try await owners.drag(0, of: "a", to: "b", at: nil) == "transferred move")
            #expect(owners.toys == ["a": ["mouse"], "b": []])
        }
    }

    @Test("75: no toy is lost by any sequence of drags", arguments: [1, 2, 3] as [UInt64])
    func none(seed: UInt64) async throws {
        try await DragBroker.with { broker in
            var random = ToyGenerator(state: seed)
            let names = ["a", "b", "c"]
            let owners = try await owners(["a": ["1", "2", "3"], "b": ["4", "5"], "c": []], broker)
            for _ in 0..<20 {
                guard
                    let from = names.randomElement(using: &random), let to = names.randomElement(using: &random),
                    let row = owners.toys[from]?.indices.randomElement(using: &random)
                else { continue }
                _ = try await owners.drag(row, of: from, to: to, at: Int.random(in: 0...6, using: &random))
                #expect(owners.toys.values.joined().sorted() == ["1", "2", "3", "4", "5"], "seed \(seed)")
            }
        }
    }

    @Test(
        "74: a toy with its origin as another type can be moved between processes; a copied toy stays"
    )
    func far() async throws {
        try await DragBroker.with { broker in
            let near = FarToys(["mouse", "ball"], on: broker.connect())
            let far = FarToys([], on: broker.connect())
            try await far.table.register(as: "far", connection: far.table.connection)
            let drag = try #require(try await near.table.beginDrag(at: IndexPath(row: 0, section: 0)))
            #expect(try await drag.drop(at: 0, of: "far") == "transferred move")
            #expect(near.toys == ["ball"])
            #expect(far.toys == ["mouse from near"])

            let copies = PlacesTable(.strict, [], on: broker.connect())
            try await copies.register()
            let copied = try #require(try await near.table.beginDrag(at: IndexPath(row: 0, section: 0)))
            #expect(try await copied.drop(at: 0) == "transferred copy")
            #expect(near.toys == copies.rows)
        }
    }
}

/// Toys that carry their origin and can be moved between processes.
@MainActor
private final class FarToys: TableDataSource, TableDragDelegate, TableDropDelegate {
    static let origin = "org.example.toy-origin"
    let table = Table()
    var toys: [String]

    init(_ toys: [String], on connection: PasteboardConnection) {
        self.toys = toys
        table.connection = connection
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
    }

    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { toys.count }

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        let item = DragItem.text(toys[indexPath.row])
        item.itemProvider.registerDataRepresentation(forTypeIdentifier: Self.origin, visibility: .all) { completion in
            completion(Data("near".utf8), nil)
            return nil
        }
        session.localContext = toys[indexPath.row]
        return [item]
    }

    func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool { true }

    func tableView(
        _ tableView: Table,
        dragSession session: any DragSession,
        didTransferItemsBy operation: DropOperation
    ) {
        guard operation == .move else { return }
        toys.removeAll { $0 == session.localContext as? String }
        table.reloadData()
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        TableDropProposal(operation: session.allowsMoveOperation ? .move : .copy)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        coordinator.session.extendDropWindow {
            for item in coordinator.items {
                let provider = item.dragItem.itemProvider
                let origin = try await provider.loadData(for: UniformType(importedAs: Self.origin)).value
                let toy = try await provider.loadObject(ofClass: String.self)
                self.toys.append("\(toy) from \(String(decoding: origin, as: UTF8.self))")
                self.table.insertRows(at: [IndexPath(row: self.toys.count - 1, section: 0)])
            }
        }
    }
}

private struct ToyGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
