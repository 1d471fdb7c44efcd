import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct TableRowsTests {
    @Test("a table asks for its counts once, and again after each reported change")
    func counts() {
        let rows = TestRows(["a", "b"], [])
        let table = rows.makeTable()
        #expect(table.numberOfSections == 2)
        #expect(table.numberOfRows(inSection: 0) == 2)
        rows.sections[0].append("c")
        #expect(table.numberOfRows(inSection: 0) == 2)
        table.insertRows(at: [IndexPath(row: 2, section: 0)])
        #expect(table.numberOfRows(inSection: 0) == 3)
    }

    @Test("a batch is checked as a whole, in any order of its calls")
    func batch() {
        let rows = TestRows(["a", "b", "c"], ["d"])
        let table = rows.makeTable()
        var hasEnded: Bool?
        table.performBatchUpdates {
            #expect(table.hasUncommittedUpdates)
            rows.sections = [["x", "c", "d"], []]
            table.insertRows(at: [IndexPath(row: 0, section: 0)])
            table.deleteRows(at: [IndexPath(row: 0, section: 0), IndexPath(row: 1, section: 0)])
            table.performBatchUpdates {
                table.moveRow(at: IndexPath(row: 0, section: 1), to: IndexPath(row: 2, section: 0))
            }
            #expect(hasEnded == nil)
        } completion: {
            hasEnded = $0
        }
        #expect(hasEnded == true)
        #expect(!table.hasUncommittedUpdates)
        #expect(table.numberOfRows(inSection: 0) == 3)
        #expect(table.numberOfRows(inSection: 1) == 0)
    }

    @Test("counts that contradict each other end the program with a message that contains them")
    func contradiction() async throws {
        let result = try await #require(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            await MainActor.run {
                let rows = TestRows(["a", "b"])
                let table = rows.makeTable()
                #expect(table.numberOfRows(inSection: 0) == 2)
                rows.sections[0].append("c")
                table.deleteRows(at: [IndexPath(row: 0, section: 0)])
            }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Section 0 has 3 rows after the update, and should have 1: 2 before it"), "\(text)")
    }

    @Test("a placeholder whose block inserts nothing ends the program")
    func contradictionOfPlaceholder() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let rows = TestRows(["a"])
                let table = rows.makeTable()
                rows.onDrop = { coordinator in
                    coordinator.dropAllToPlaceholders(at: IndexPath(row: 0, section: 0))[0].commitInsertion { _ in }
                }
                table.perform(TestDrop(texts: "x"), at: nil, operation: .copy)
            }
        }
    }

    @Test("an index path that names no row ends the program")
    func notARow() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let rows = TestRows(["a"])
                let table = rows.makeTable()
                #expect(table.numberOfSections == 1)
                table.deleteRows(at: [IndexPath(index: 0)])
            }
        }
    }

    @Test("the selection follows its rows")
    func selection() {
        let rows = TestRows(["a", "b", "c"])
        let table = rows.makeTable()
        #expect(table.indexPathsForSelectedRows == nil)
        for row in [2, 1, 7] { table.selectRow(at: IndexPath(row: row, section: 0)) }
        #expect(table.indexPathsForSelectedRows == [IndexPath(row: 1, section: 0), IndexPath(row: 2, section: 0)])
        rows.sections[0] = ["x", "a", "c"]
        table.performBatchUpdates {
            table.insertRows(at: [IndexPath(row: 0, section: 0)])
            table.deleteRows(at: [IndexPath(row: 1, section: 0)])
        }
        #expect(table.indexPathsForSelectedRows == [IndexPath(row: 2, section: 0)])
        table.reloadRows(at: [IndexPath(row: 2, section: 0)])
        #expect(table.indexPathsForSelectedRows == nil)
        table.selectRow(at: IndexPath(row: 0, section: 0))
        table.deselectRow(at: IndexPath(row: 0, section: 0))
        #expect(table.indexPathsForSelectedRows == nil)
        table.selectRow(at: IndexPath(row: 0, section: 0))
        table.selectRow(at: nil)
        #expect(table.indexPathsForSelectedRows == nil)
    }
}
