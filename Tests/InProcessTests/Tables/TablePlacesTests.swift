import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TableDragAndDrop
import TestSupport
import Testing

/// The numbers are those of the catalogue "Drag and drop: behaviours".
@Suite("Tables: Apple's table-view sample", .inProcess)
@MainActor
struct TablePlacesTests {
    // MARK: Beginning

    @Test("1, 2: rows can be dragged by default, and dragging can be switched off")
    func enabled() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, ["Paris"], on: broker.connect())
            let drag = try await places.drag(0)
            #expect(drag != nil)
            places.table.dragInteractionEnabled = false
            #expect(try await places.drag(0) == nil)
            places.table.dragInteractionEnabled = true
            #expect(try await places.drag(0) != nil)
        }
    }

    @Test("7: a disabled table is neither a source nor a destination")
    func disabled() async throws {
        try await DragBroker.with { broker in
            let giver = PlacesTable(.strict, ["Paris"], on: broker.connect())
            let taker = PlacesTable(.strict, ["Rome"], on: broker.connect())
            try await taker.register()
            taker.table.isUserInteractionEnabled = false
            #expect(try await taker.drag(0) == nil)
            let drag = try #require(try await giver.drag(0))
            #expect(try await drag.move(to: .row(0, of: "places")).operation == .cancel)
            #expect(taker.events == [])
        }
    }

    @Test(
        "8, 9, 10, 15, 53: a row is dragged as one item of plain text with its first value, and is not removed",
        arguments: ["Paris", "Zürich", "東京", "👩‍👩‍👧 home"]
    )
    func packaged(name: String) async throws {
        try await DragBroker.with { broker in
            let giver = PlacesTable(.strict, [name, "other"], on: broker.connect())
            let taker = PlacesTable(.strict, [], on: broker.connect())
            try await taker.register()
            let drag = try #require(try await giver.drag(0))
            #expect(drag.items.map(\.itemProvider.registeredTypeIdentifiers) == [["public.plain-text"]])
            giver.replaceAll([["changed"]])
            let bytes = Lock<Data?>(nil)
            let arrived = Gate()
            var progress: LoadProgress?
            taker.onDrop = { coordinator in
                progress = coordinator.session.items[0].itemProvider.loadDataRepresentation(
                    forTypeIdentifier: "public.plain-text"
                ) { data, _ in
                    bytes.withLock { $0 = data }
                    arrived.open()
                }
                coordinator.session.extendDropWindow { await arrived.wait() }
            }
            #expect(try await drag.drop(at: 0) == "transferred copy")
            #expect(bytes.withLock { $0 } == Data(name.utf8))
            #expect(progress?.isFinished == true)
            #expect(giver.rows == ["changed"])
            #expect(giver.events == ["will begin", "did end", "did transfer"])
        }
    }

    @Test("11: a row that cannot be packaged is not dragged, and no delegate is notified")
    func nothing() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, [""], on: broker.connect())
            try await places.register()
            #expect(try await places.drag(0) == nil)
            #expect(places.events == [])
        }
    }

    @Test("16, 37: neither dragging nor a cancelled drop produces any bytes")
    func lazy() async throws {
        try await DragBroker.with { broker in
            let giver = PlacesTable(.strict, ["Paris", "Rome"], on: broker.connect())
            let taker = PlacesTable(.strict, ["Oslo"], on: broker.connect())
            try await taker.register()
            let drag = try #require(try await giver.drag(0, 1))
            for row in [0, 1, 7, nil] {
                #expect(try await drag.move(to: .row(row, of: "places")).operation == .cancel)
            }
            #expect(try await drag.drop() == .cancel)
            #expect(try await drag.outcome().text == "cancelled")
            try await taker.happened("end")
            #expect(giver.made.value == 0)
            #expect(giver.events == ["will begin", "did end"])
            #expect(taker.events.filter { $0.hasPrefix("perform") } == [])
            #expect([giver.rows, taker.rows] == [["Paris", "Rome"], ["Oslo"]])
        }
    }

    // MARK: Accepting

    @Test(
        "18, 19, 24: a table accepts items that can be read as text, and is not notified of others",
        arguments: [
            (["public.utf8-plain-text"], true), (["public.plain-text"], true), (["public.png"], false),
            (["public.png", "public.plain-text"], true), (["com.example.unknown"], false),
        ]
    )
    func acceptance(types: [String], isAccepted: Bool) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, [], on: broker.connect())
            try await places.register()
            let items = types.map { type in
                let provider = ItemProvider()
                provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                    completion(Data("text".utf8), nil)
                    return nil
                }
                return DragItem(itemProvider: provider)
            }
            let drag = try await PasteboardKit.Drag.begin(items, connection: broker.connect())
            #expect(try await drag.move(to: .row(0, of: "places")).operation == (isAccepted ? .copy : .cancel))
            await drag.cancel()
            #expect(try await drag.outcome().text == "cancelled")
            if isAccepted { try await places.happened("end") }
            #expect(places.events == (isAccepted ? ["enter", "exit", "end"] : []))
        }
    }

    // MARK: Proposing

    struct Situation: CustomTestStringConvertible {
        let behaviour: Int
        let policy: PlacesTable.Policy
        let count: Int
        let isLocal: Bool
        let isEditing: Bool
        let operation: DropOperation

        var testDescription: String {
            "\(behaviour): \(policy), \(count) \(isLocal ? "of its own" : "foreign")\(isEditing ? ", editing" : "")"
        }
    }

    nonisolated static let situations: [Situation] = [
        Situation(behaviour: 26, policy: .strict, count: 2, isLocal: false, isEditing: false, operation: .cancel),
        Situation(behaviour: 26, policy: .strict, count: 2, isLocal: true, isEditing: true, operation: .cancel),
        Situation(behaviour: 27, policy: .strict, count: 1, isLocal: true, isEditing: true, operation: .move),
        Situation(behaviour: 28, policy: .strict, count: 1, isLocal: true, isEditing: false, operation: .cancel),
        Situation(behaviour: 29, policy: .strict, count: 1, isLocal: false, isEditing: false, operation: .copy),
        Situation(behaviour: 29, policy: .strict, count: 1, isLocal: false, isEditing: true, operation: .copy),
        Situation(behaviour: 30, policy: .permissive, count: 2, isLocal: true, isEditing: false, operation: .cancel),
        Situation(behaviour: 31, policy: .permissive, count: 1, isLocal: true, isEditing: false, operation: .move),
        Situation(behaviour: 31, policy: .permissive, count: 1, isLocal: true, isEditing: true, operation: .move),
        Situation(behaviour: 32, policy: .permissive, count: 1, isLocal: false, isEditing: false, operation: .copy),
        Situation(behaviour: 32, policy: .permissive, count: 3, isLocal: false, isEditing: true, operation: .copy),
    ]

    @Test(
        "25-32: the proposal for a drop depends on the items, their source and the table's state",
        arguments: situations
    )
    func proposal(_ situation: Situation) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(situation.policy, ["a", "b", "c"], on: broker.connect())
            try await places.register()
            places.table.setEditing(situation.isEditing, animated: false)
            let other = PlacesTable(.strict, ["x", "y", "z"], on: broker.connect())
            let giver = situation.isLocal ? places : other
            let drag = try #require(
                situation.count == 1
                    ? try await giver.drag(0)
                    : situation.count == 2 ? try await giver.drag(0, 1) : try await giver.drag(0, 1, 2)
            )
            #expect(drag.items.count == situation.count)
            #expect(giver.table.hasActiveDrag)
            let proposal = try await drag.move(to: .row(1, of: situation.isLocal ? "" : "places"))
            #expect(proposal.operation == situation.operation)
            #expect(places.table.hasUncommittedUpdates == (situation.operation != .cancel))
            await drag.cancel()
            #expect(!giver.table.hasActiveDrag)
        }
    }

    @Test("38: a move of another table's row is not performed unless its session allows it")
    func foreignMove() async throws {
        final class Mover: TableDropDelegate {
            var texts: [String] = []
            func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
                coordinator.session.loadObjects(ofClass: String.self) { self.texts = $0 }
            }
            func tableView(
                _ tableView: Table,
                dropSessionDidUpdate session: any DropSession,
                withDestinationIndexPath destinationIndexPath: IndexPath?
            ) -> TableDropProposal {
                TableDropProposal(operation: .move)
            }
        }
        final class Giver: TableDragDelegate {
            var isTransferred = false
            func tableView(
                _ tableView: Table,
                itemsForBeginning session: any DragSession,
                at indexPath: IndexPath
            ) -> [DragItem] { [.text("Paris")] }
            func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool {
                true
            }
            func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
                isTransferred = true
            }
        }
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, ["Rome"], on: broker.connect())
            try await places.register()
            let mover = Mover()
            places.table.dropDelegate = mover
            let giver = PlacesTable(.strict, ["Paris"], on: broker.connect())
            let drag = try #require(try await giver.drag(0))
            #expect(try await drag.drop(at: 0) == "cancelled")
            #expect(mover.texts == [])

            let allowing = Giver()
            giver.table.dragDelegate = allowing
            let second = try #require(try await giver.drag(0))
            #expect(try await second.drop(at: 0) == "transferred move")
            #expect(mover.texts == ["Paris"])
            #expect(allowing.isTransferred)
        }
    }

    @Test(
        "39, 79: the drag of another table is not a drag of this table, in the same process or in another",
        arguments: [true, false]
    )
    func otherTable(isSameProcess: Bool) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, ["a"], on: broker.connect(process: 1))
            try await places.register()
            let other = PlacesTable(.strict, ["b"], on: broker.connect(process: isSameProcess ? 1 : 2))
            let drag = try #require(try await other.drag(0))
            #expect(other.table.hasActiveDrag)
            #expect(!places.table.hasActiveDrag)
            #expect(try await drag.move(to: .row(0, of: "places")).operation == .copy)
            #expect(places.table.hasActiveDrop)
            #expect(!other.table.hasActiveDrop)
            #expect(try await drag.drop(at: 0) == "transferred copy")
            #expect(places.rows == ["b", "a"])
        }
    }

    @Test(
        "5, 40, 54, 78: editing that begins during a drag affects the next proposal, and the data source moves the row"
    )
    func editingToggled() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, ["a", "b"], on: broker.connect())
            let drag = try #require(try await places.drag(0))
            #expect(!places.table.isEditing)
            #expect(try await drag.move(to: .row(1, of: "")).operation == .cancel)
            places.table.isEditing = true
            #expect(try await drag.move(to: .row(1, of: "")).operation == .move)
            #expect(try await drag.drop() == .move)
            #expect(try await drag.outcome().text == "transferred move")
            try await places.happened("end")
            #expect(places.rows == ["b", "a"])
            #expect(places.made.value == 0)
            #expect(places.events.filter { $0 != "end" } == ["will begin", "enter", "did end", "moved 0 to 1"])
        }
    }

    @Test("41: adding a second item turns a copy into a cancel")
    func added() async throws {
        try await DragBroker.with { broker in
            let giver = PlacesTable(.strict, ["Paris", "Rome"], on: broker.connect())
            let places = PlacesTable(.strict, [], on: broker.connect())
            try await places.register()
            let drag = try #require(try await giver.drag(0))
            #expect(try await drag.move(to: .row(0, of: "places")).operation == .copy)
            let row = IndexPath(row: 1, section: 0)
            #expect(try await giver.table.addItems(to: drag, at: row))
            #expect(try await giver.table.addItems(to: drag, at: row) == false)
            #expect(drag.items.count == 2)
            #expect(try await drag.drop() == .cancel)
        }
    }

    // MARK: Performing

    @Test(
        "42-48, 77: rows are inserted in order at the location of the session, or at the end",
        arguments: [
            ([["a", "b"]], [0, 0], [["x", "y", "a", "b"]]),
            ([["a", "b"]], [0, 1], [["a", "x", "y", "b"]]),
            ([["a", "b"]], [0, 2], [["a", "b", "x", "y"]]),
            ([["a", "b"]], nil, [["a", "b", "x", "y"]]),
            ([["a", "b"]], [0, 3], [["a", "b", "x", "y"]]),
            ([["a"], []], nil, [["a"], ["x", "y"]]),
            ([["a"], ["b"]], [1, 0], [["a"], ["x", "y", "b"]]),
            ([["a"], ["b"]], [9, 9], [["a"], ["b", "x", "y"]]),
        ] as [([[String]], [Int]?, [[String]])]
    )
    func insertion(before: [[String]], place: [Int]?, after: [[String]]) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, on: broker.connect())
            places.replaceAll(before)
            try await places.register()
            let giver = PlacesTable(.permissive, ["x", "y"], on: broker.connect())
            let drag = try #require(try await giver.drag(0, 1))
            let path = place.map { IndexPath(indexes: $0) }
            try await drag.move(to: DropLocation("places", indexPath: path))
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            #expect(places.sections == after)
            #expect((0..<after.count).map(places.table.numberOfRows(inSection:)) == after.map(\.count))
            #expect(giver.rows == ["x", "y"])
        }
    }

    @Test("44: a table without a section refuses a drop")
    func noSection() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, on: broker.connect())
            try await places.register()
            let giver = PlacesTable(.permissive, ["x"], on: broker.connect())
            let drag = try #require(try await giver.drag(0))
            #expect(try await drag.drop(at: nil) == "cancelled")
            #expect(places.events.filter { $0.hasPrefix("perform") } == [])
        }
    }

    @Test(
        "50, 51: items that cannot be loaded are left out",
        arguments: [["a", nil, "c"], [nil], ["a"]] as [[String?]]
    )
    func failing(texts: [String?]) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, ["z"], on: broker.connect())
            try await places.register()
            let items = texts.map { text in
                let provider = ItemProvider()
                provider.registerDataRepresentation(for: .utf8PlainText) { () throws -> Data in
                    guard let text else { throw PasteboardError(.sourceFailed, message: "not to be had") }
                    return Data(text.utf8)
                }
                return DragItem(itemProvider: provider)
            }
            let drag = try await PasteboardKit.Drag.begin(items, connection: broker.connect())
            try await drag.drop(at: 0)
            try await places.happened("inserted \(texts.compactMap { $0 }.joined(separator: ",")) at 0")
            #expect(places.rows == texts.compactMap { $0 } + ["z"])
        }
    }

    @Test("52: bytes can be loaded only while the drop is performed")
    func window() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, [], on: broker.connect())
            try await places.register()
            let giver = PlacesTable(.permissive, ["x"], on: broker.connect())
            var early: Task<PasteboardError.Code?, Never>?
            var kept: DragItem?
            func load(_ item: DragItem) async -> PasteboardError.Code? {
                do throws(PasteboardError) {
                    _ = try await item.itemProvider.loadData(for: .plainText)
                    return nil
                } catch {
                    return error.code
                }
            }
            places.onUpdate = { session in
                let item = session.items[0]
                kept = item
                if early == nil { early = Task { await load(item) } }
            }
            let drag = try #require(try await giver.drag(0))
            try await drag.move(to: .row(0, of: "places"))
            #expect(await early?.value == .notLoadableNow)
            #expect(try await drag.drop(at: 0) == "transferred copy")
            let late = try #require(kept)
            let code = await load(late)
            // The broker does not know the session after its end.
            #expect(code == .notLoadableNow || code == .superseded)
            #expect(places.rows == ["x"])
        }
    }

    @Test("63, 64: a drop without any action on its items is cancelled")
    func reverted() async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.permissive, ["a"], on: broker.connect())
            try await places.register()
            places.onDrop = { _ in }
            let giver = PlacesTable(.permissive, ["x"], on: broker.connect())
            let drag = try #require(try await giver.drag(0))
            #expect(try await drag.drop(at: 0) == "cancelled")
            #expect(giver.events == ["will begin", "did end"])
            #expect(giver.made.value == 0)
        }
    }

    @Test(
        "4, 76, 77: rows can be dragged both ways between two programs, with one object as all delegates of each table"
    )
    func bothWays() async throws {
        try await DragBroker.with { broker in
            let one = PlacesTable(.strict, ["Paris"], on: broker.connect())
            let two = PlacesTable(.strict, ["Rome"], on: broker.connect())
            try await one.register("one")
            try await two.register("two")
            let there = try #require(try await one.drag(0))
            #expect(try await there.drop(at: 1, of: "two") == "transferred copy")
            let back = try #require(try await two.drag(0))
            #expect(try await back.drop(at: 0, of: "one") == "transferred copy")
            #expect(one.rows == ["Rome", "Paris"])
            #expect(two.rows == ["Rome", "Paris"])
        }
    }

    @Test(
        "80: if the source ends before the drop, the session ends; after the load the row stays",
        arguments: [true, false]
    )
    func sourceGone(isBefore: Bool) async throws {
        try await DragBroker.with { broker in
            let places = PlacesTable(.strict, [], on: broker.connect())
            try await places.register()
            let connection = broker.connect()
            let giver = PlacesTable(.strict, ["x"], on: connection)
            let drag = try #require(try await giver.drag(0))
            try await drag.move(to: .row(0, of: "places"))
            if !isBefore {
                try await drag.drop()
                #expect(try await drag.outcome().text == "transferred copy")
            }
            await connection.close()
            try await places.happened("end")
            #expect(places.rows == (isBefore ? [] : ["x"]))
            #expect(
                places.events
                    == (isBefore
                        ? ["enter", "exit", "end"]
                        : ["enter", "perform at 0, copy insertAtDestinationIndexPath", "inserted x at 0", "end"])
            )
            try await giver.happened("did end")
        }
    }
}
