import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct TableDroppingTests {
    let rows = TestRows(["a", "b", "c"], [])
    let table: Table

    init() {
        table = rows.makeTable()
    }

    private func hover(_ session: TestDrop, _ path: IndexPath?) -> DropOperation {
        table.enter(session)
        return table.update(session, at: path).operation
    }

    @Test(
        "a delegate is asked about existing rows and about the path after the last row",
        arguments: [
            ([0, 0], [0, 0]), ([0, 3], [0, 3]), ([1, 0], [1, 0]), ([0, 4], nil), ([1, 1], nil), ([2, 0], nil),
            ([0, -1], nil), ([-1, 0], nil), ([], nil), ([0], nil), ([0, 0, 0], nil), ([Int.max, Int.max], nil),
            ([Int.min, Int.min], nil),
        ] as [([Int], [Int]?)]
    )
    func range(named: [Int], expected: [Int]?) {
        _ = hover(TestDrop(texts: "x"), IndexPath(indexes: named))
        #expect(rows.destinations == [expected.map { IndexPath(indexes: $0) }])
    }

    @Test(
        "the intent in effect is one that the path allows",
        arguments: [
            (.insertAtDestinationIndexPath, 1, .insertAtDestinationIndexPath),
            (.insertAtDestinationIndexPath, nil, .unspecified),
            (.insertIntoDestinationIndexPath, 1, .insertIntoDestinationIndexPath),
            (.insertIntoDestinationIndexPath, 3, .unspecified),
            (.insertIntoDestinationIndexPath, nil, .unspecified),
            (.automatic, 1, .insertIntoDestinationIndexPath),
            (.automatic, 3, .insertAtDestinationIndexPath),
            (.automatic, nil, .unspecified),
            (.unspecified, 1, .unspecified),
        ] as [(TableDropProposal.Intent, Int?, TableDropProposal.Intent)]
    )
    func intent(proposed: TableDropProposal.Intent, row: Int?, enforced: TableDropProposal.Intent) {
        let path = row.map { IndexPath(row: $0, section: 0) }
        rows.proposal = TableDropProposal(operation: .copy, intent: proposed)
        var coordinator: (any TableDropCoordinator)?
        rows.onDrop = { coordinator = $0 }
        let session = TestDrop(texts: "x")
        #expect(hover(session, path) == .copy)
        #expect(table.hasActiveDrop)
        #expect(table.hasUncommittedUpdates == (enforced == .insertAtDestinationIndexPath))
        table.perform(session, at: path, operation: .copy)
        #expect(coordinator?.proposal == TableDropProposal(operation: .copy, intent: enforced))
        #expect(coordinator?.destinationIndexPath == path)
        #expect(coordinator?.session === session)
        #expect(coordinator?.items.map { ObjectIdentifier($0.dragItem) } == session.items.map { ObjectIdentifier($0) })
        #expect(!table.hasActiveDrop)
        #expect(!table.hasUncommittedUpdates)
    }

    @Test("a table without sections accepts no drop, even if they were deleted after the proposal")
    func noSections() {
        let session = TestDrop(texts: "x")
        #expect(hover(session, IndexPath(row: 0, section: 0)) == .copy)
        rows.sections = []
        table.reloadData()
        #expect(table.update(session, at: IndexPath(row: 0, section: 0)).operation == .cancel)
        table.perform(session, at: IndexPath(row: 0, section: 0), operation: .copy)
        #expect(!rows.events.contains("perform"))
    }

    /// A drag of rows of the table, positioned over it.
    private func drag(_ items: Int...) -> (TestDrop, TestDrag) {
        for row in items { table.selectRow(at: IndexPath(row: row, section: 0)) }
        let session = TestDrag(table.itemsForBeginning(TestDrag(), at: IndexPath(row: items[0], section: 0)))
        _ = table.willBegin(session)
        rows.events = []
        return (TestDrop(session.items, from: session), session)
    }

    @Test(
        "a row that moves within its own table is handled by the data source (S54)",
        arguments: [
            (0, 2, "move 0.0 to 0.2", "bca"), (2, 0, "move 0.2 to 0.0", "cab"), (0, 3, "move 0.0 to 0.2", "bca"),
        ]
    )
    func rearranged(from row: Int, to target: Int, event: String, result: String) {
        rows.canMove = true
        rows.proposal = TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        let (session, _) = drag(row)
        let path = IndexPath(row: target, section: 0)
        #expect(hover(session, path) == .move)
        table.perform(session, at: path, operation: .move)
        #expect(rows.events == ["enter", "update \(path.text)", "can move 0.\(row)", event])
        #expect(rows.sections[0].joined() == result)
        #expect(table.numberOfRows(inSection: 0) == 3)
        #expect(table.indexPathsForSelectedRows == [IndexPath(row: min(target, 2), section: 0)])
    }

    @Test("only a single movable, unchanged row with the insert intent is rearranged; anything else is dropped")
    func notRearranged() {
        let insertion = TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        let path = IndexPath(row: 2, section: 0)
        for (canMove, proposal, count, changes) in [
            (false, insertion, 1, false),
            (true, insertion, 2, false),
            (true, TableDropProposal(operation: .move), 1, false),
            (true, TableDropProposal(operation: .copy, intent: .insertAtDestinationIndexPath), 1, false),
            (true, insertion, 1, true),
        ] {
            let rows = TestRows(["a", "b", "c"], [])
            let table = rows.makeTable()
            rows.canMove = canMove
            rows.proposal = proposal
            for row in 0..<count { table.selectRow(at: IndexPath(row: row, section: 0)) }
            let local = TestDrag(table.itemsForBeginning(TestDrag(), at: IndexPath(row: 0, section: 0)))
            _ = table.willBegin(local)
            var sources: [IndexPath?] = []
            rows.onDrop = { sources = $0.items.map(\.sourceIndexPath) }
            let session = TestDrop(local.items, from: local)
            table.enter(session)
            _ = table.update(session, at: path)
            if changes { table.reloadData() }
            table.perform(session, at: path, operation: proposal.operation)
            #expect(rows.events.last == "perform")
            #expect(sources == (0..<count).map { changes ? nil : IndexPath(row: $0, section: 0) })
        }
    }

    @Test("a data source that reports a move itself is not asked to move again")
    func toldByDataSource() {
        let path = IndexPath(row: 2, section: 0)
        let changes: [(TestRows, Table) -> Void] = [
            { $1.reloadData() },
            { $1.moveRow(at: IndexPath(row: 0, section: 0), to: path) },
            { rows, table in
                rows.sections[0] = ["x", "b", "c"]
                table.insertRows(at: [IndexPath(row: 0, section: 0)])
                table.deleteRows(at: [IndexPath(row: 0, section: 0)])
            },
            { rows, table in
                rows.sections[0].append("x")
                table.insertRows(at: [IndexPath(row: 3, section: 0)])
            },
            { rows, table in
                // The row is merged with another one.
                rows.sections[0] = ["bc"]
                table.reloadData()
            },
        ]
        for change in changes {
            let rows = TestRows(["a", "b", "c"])
            let table = rows.makeTable()
            rows.canMove = true
            rows.onMove = { change(rows, table) }
            let drag = TestDrag(table.itemsForBeginning(TestDrag(), at: IndexPath(row: 0, section: 0)))
            let session = TestDrop(drag.items, from: drag)
            rows.proposal = TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
            table.enter(session)
            _ = table.update(session, at: path)
            table.perform(session, at: path, operation: .move)
            #expect(table.numberOfRows(inSection: 0) == rows.sections[0].count)
            #expect(!rows.events.contains("perform"))
        }
    }

    @Test("a proposal to move an item that may not be moved does nothing, and opens no gap (S38)")
    func moveNotAllowed() {
        rows.proposal = TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        #expect(
            hover(TestDrop([DragItem(text: "x")], allowsMoveOperation: false), IndexPath(row: 0, section: 0)) == .cancel
        )
        #expect(table.hasActiveDrop)
        #expect(!table.hasUncommittedUpdates)
    }

    @Test("rows of the same table are moved in one batch, by their paths (S60)")
    func movedRows() {
        let (session, _) = drag(0, 1)
        rows.onDrop = { coordinator in
            table.performBatchUpdates {
                let sources = coordinator.items.compactMap(\.sourceIndexPath)
                rows.sections[0] = ["c", "a", "b"]
                for (index, source) in sources.enumerated() {
                    table.moveRow(at: source, to: IndexPath(row: 1 + index, section: 0))
                }
            }
            #expect(coordinator.items.allSatisfy { $0.sourceIndexPath == nil })
        }
        _ = hover(session, IndexPath(row: 3, section: 0))
        table.perform(session, at: IndexPath(row: 3, section: 0), operation: .move)
        #expect(table.indexPathsForSelectedRows == [IndexPath(row: 1, section: 0), IndexPath(row: 2, section: 0)])
    }

    @Test("a table handles the sessions that its delegate does")
    func handled() {
        for handles in [true, false] {
            rows.handles = handles
            #expect(table.canHandle(TestDrop(texts: "x")) == handles)
        }
    }

    @Test(
        "by default a table moves sessions of its own process that allow it, and copies all others (S23)"
    )
    func defaultProposal() {
        final class OnlyPerforms: TableDropDelegate {
            func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {}
        }
        let delegate = OnlyPerforms()
        table.dropDelegate = delegate
        #expect(table.canHandle(TestDrop(texts: "x")))
        for isEditing in [false, true] {
            table.isEditing = isEditing
            #expect(hover(TestDrop(texts: "x"), nil) == .copy)
            #expect(hover(TestDrop([DragItem(text: "x")], from: TestDrag()), nil) == .move)
            #expect(hover(TestDrop([DragItem(text: "x")], from: TestDrag(), allowsMoveOperation: false), nil) == .copy)
        }
    }
}
