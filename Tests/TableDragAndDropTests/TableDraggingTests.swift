import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct TableDraggingTests {
    let rows = TestRows(["a", "b", "", "d"])
    let table: Table

    init() {
        table = rows.makeTable()
    }

    @Test("a press on one of several selected rows asks once for each, in ascending order")
    func selected() {
        for row in [3, 0, 2] { table.selectRow(at: IndexPath(row: row, section: 0)) }
        let items = table.itemsForBeginning(TestDrag(), at: IndexPath(row: 3, section: 0))
        #expect(rows.events == ["items for 0.0", "items for 0.2", "items for 0.3"])
        #expect(items.map(table.sourceIndexPath) == [IndexPath(row: 0, section: 0), IndexPath(row: 3, section: 0)])
        rows.events = []
        _ = table.itemsForBeginning(TestDrag(), at: IndexPath(row: 1, section: 0))
        #expect(rows.events == ["items for 0.1"])
    }

    @Test("a drag notifies its delegate of the beginning and the end once each, and asks once what is allowed")
    func balanced() {
        rows.allowsMove = false
        rows.isRestricted = true
        let session = TestDrag()
        let (drag, options) = table.willBegin(session)
        #expect(table.hasActiveDrag)
        #expect(!options.allowsMoveOperation)
        #expect(options.isRestrictedToDraggingApplication)
        #expect(!options.allowsMoveBetweenProcesses)
        drag.end(session)
        drag.end(session)
        drag.transfer(session)
        #expect(!table.hasActiveDrag)
        #expect(rows.events == ["will begin", "allows move", "is restricted", "did end", "did transfer"])
    }

    @Test("no drag begins without a delegate, with dragging off, in a disabled view, or without items (S1-S3, S7, S11)")
    func off() async throws {
        let row = IndexPath(row: 0, section: 0)
        table.dragInteractionEnabled = false
        #expect(try await table.beginDrag(at: row) == nil)
        table.dragInteractionEnabled = true
        let around = InteractionView()
        around.addSubview(table)
        around.isUserInteractionEnabled = false
        #expect(try await table.beginDrag(at: row) == nil)
        around.isUserInteractionEnabled = true
        table.dragDelegate = nil
        #expect(try await table.beginDrag(at: row) == nil)
        #expect(rows.events == [])
        table.dragDelegate = rows
        #expect(try await table.beginDrag(at: IndexPath(row: 2, section: 0)) == nil)
        #expect(rows.events == ["items for 0.2"])
        #expect(!table.hasActiveDrag)
    }

    @Test("rows are added to a drag, once each")
    func added() {
        let first = table.itemsForBeginning(TestDrag(), at: IndexPath(row: 0, section: 0))
        let session = TestDrag(first)
        let path = { IndexPath(row: $0, section: 0) }
        #expect(table.itemsForAdding(to: session, at: path(0), point: .zero).isEmpty)
        let more = table.itemsForAdding(to: session, at: path(1), point: .zero)
        #expect(more.count == 1)
        #expect(table.itemsForAdding(to: TestDrag(first + more), at: path(1), point: .zero).isEmpty)
        #expect(table.itemsForAdding(to: session, at: path(9), point: .zero).isEmpty)
        #expect(rows.events == ["items for 0.0", "more items for 0.1"])
    }

    @Test("an item no longer knows its row once any row has changed")
    func sourceForgotten() {
        let changes: [(TestRows, Table) -> Void] = [
            { $1.reloadData() },
            { $1.reloadRows(at: [IndexPath(row: 3, section: 0)]) },
            { rows, table in
                rows.sections[0].append("new")
                table.insertRows(at: [IndexPath(row: 4, section: 0)])
            },
            { $1.dataSource = nil },
        ]
        for change in changes {
            let rows = TestRows(["a", "b", "", "d"])
            let table = rows.makeTable()
            let item = table.itemsForBeginning(TestDrag(), at: IndexPath(row: 0, section: 0))[0]
            #expect(table.sourceIndexPath(of: item) == IndexPath(row: 0, section: 0))
            change(rows, table)
            #expect(table.sourceIndexPath(of: item) == nil)
        }
    }
}
