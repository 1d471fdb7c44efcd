import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct PlaceholderTests {
    let rows = TestRows(["a", "b", "c"])
    let table: Table

    init() {
        table = rows.makeTable()
    }

    private func drop(
        _ texts: [String],
        at path: IndexPath? = IndexPath(row: 1, section: 0),
        onDrop: @escaping (any TableDropCoordinator) -> Void
    ) {
        rows.onDrop = onDrop
        let session = TestDrop(texts.map { DragItem(text: $0) })
        table.enter(session)
        _ = table.update(session, at: path)
        table.perform(session, at: path, operation: .copy)
    }

    private func dropToPlaceholders(_ texts: [String], at row: Int = 1) -> [any TableDropPlaceholderContext] {
        var contexts: [any TableDropPlaceholderContext] = []
        drop(texts) { contexts = $0.dropAllToPlaceholders(at: IndexPath(row: row, section: 0)) }
        return contexts
    }

    /// Commits with the given text and returns the row.
    @discardableResult
    private func commit(_ context: (any TableDropPlaceholderContext)?, _ text: String) -> Int? {
        var row: Int?
        let isCommitted = context?.commitInsertion {
            row = $0.row
            rows.sections[$0.section].insert(text, at: $0.row)
        }
        #expect(isCommitted == (row != nil))
        return row
    }

    @Test("a placeholder is a row that the data source does not know")
    func shown() {
        let contexts = dropToPlaceholders(["x", "y"])
        #expect(table.texts(rows) == ["a", "<0>", "<1>", "b", "c"])
        #expect(table.numberOfRows(inSection: 0) == 3)
        #expect(table.hasUncommittedUpdates)
        #expect(contexts[0].dragItem !== contexts[1].dragItem)
    }

    @Test("a second placeholder for an item is the first one")
    func second() {
        var contexts: [any TableDropPlaceholderContext] = []
        drop(["x"]) { coordinator in
            contexts += coordinator.dropAllToPlaceholders(at: IndexPath(row: 1, section: 0))
            contexts += coordinator.dropAllToPlaceholders(at: IndexPath(row: 2, section: 0))
        }
        #expect(contexts.count == 2 && contexts[0] === contexts[1])
        #expect(table.texts(rows) == ["a", "<0>", "b", "c"])
        commit(contexts[1], "x")
        #expect(table.texts(rows) == ["a", "x", "b", "c"] && !table.hasUncommittedUpdates)
    }

    @Test("placeholders at the same path follow each other, whether they become rows at once, later, or never")
    func samePlaceAtOnce() {
        var contexts: [any TableDropPlaceholderContext] = []
        drop(["v", "w", "x", "y", "z"]) { coordinator in
            for (item, text) in zip(coordinator.items, ["v", "w", "x", "y", "z"]) {
                let placeholder = TableDropPlaceholder(
                    insertionIndexPath: IndexPath(row: 1, section: 0),
                    reuseIdentifier: "row"
                )
                let context = coordinator.drop(item.dragItem, to: placeholder)
                contexts.append(context)
                if text == "v" || text == "y" { commit(context, text) }
                if text == "w" { context.deletePlaceholder() }
            }
        }
        #expect(table.texts(rows) == ["a", "v", "<>", "y", "<>", "b", "c"])
        commit(contexts[4], "z")
        commit(contexts[2], "x")
        #expect(table.texts(rows) == ["a", "v", "x", "y", "z", "b", "c"])
    }

    @Test("placeholders and rows of one drop keep its order")
    func mixed() {
        var contexts: [any TableDropPlaceholderContext] = []
        drop(["x", "local", "z"]) { coordinator in
            for (index, item) in coordinator.items.enumerated() {
                guard index != 1 else {
                    rows.sections[0].insert("local", at: 1)
                    table.insertRows(at: [IndexPath(row: 1, section: 0)])
                    coordinator.drop(item.dragItem, toRowAt: IndexPath(row: 1, section: 0))
                    continue
                }
                let path = IndexPath(row: 1 + index, section: 0)
                let placeholder = TableDropPlaceholder(insertionIndexPath: path, reuseIdentifier: "row")
                contexts.append(coordinator.drop(item.dragItem, to: placeholder))
            }
        }
        #expect(table.texts(rows) == ["a", "<>", "local", "<>", "b", "c"])
        commit(contexts[1], "z")
        commit(contexts[0], "x")
        #expect(rows.sections[0] == ["a", "x", "local", "z", "b", "c"])
    }

    @Test("both calls return false once a placeholder was removed")
    func gone() {
        let contexts = dropToPlaceholders(["x", "y", "z"])
        #expect(contexts[0].deletePlaceholder())
        #expect(!contexts[0].deletePlaceholder())
        #expect(commit(contexts[0], "x") == nil)
        #expect(commit(contexts[1], "y") == 1)
        #expect(!contexts[1].deletePlaceholder())
        table.reloadData()
        #expect(commit(contexts[2], "z") == nil)
        #expect(!contexts[2].deletePlaceholder())
        #expect(rows.sections[0] == ["a", "y", "b", "c"])
        #expect(!table.hasUncommittedUpdates)
    }

    @Test("a deallocated table has no placeholders, and neither has a table without a data source")
    func tableGone() {
        var table: Table? = rows.makeTable()
        var context: (any TableDropPlaceholderContext)?
        rows.onDrop = { context = $0.dropAllToPlaceholders(at: IndexPath(row: 0, section: 0))[0] }
        table?.perform(TestDrop(texts: "x"), at: nil, operation: .copy)
        table = nil
        #expect(commit(context, "x") == nil)

        let other = dropToPlaceholders(["y"])[0]
        self.table.dataSource = nil
        #expect(commit(other, "y") == nil)
    }

    @Test("a block may reload the table before or after it inserts the row", arguments: [true, false])
    func reloadedByBlock(isBefore: Bool) {
        let contexts = dropToPlaceholders(["x", "y"])
        let isCommitted = contexts[0].commitInsertion { path in
            if isBefore { table.reloadData() }
            rows.sections[0].insert("x", at: path.row)
            rows.sections.append([])
            if !isBefore { table.reloadData() }
        }
        #expect(isCommitted)
        #expect(!contexts[1].deletePlaceholder())
        #expect(table.numberOfSections == 2)
        #expect(table.numberOfRows(inSection: 0) == 4)
    }

    @Test("while its block runs, a placeholder can neither become a row again nor be removed")
    func resolvedByItsBlock() {
        let context = dropToPlaceholders(["x"])[0]
        let isCommitted = context.commitInsertion { path in
            rows.sections[0].insert("x", at: path.row)
            #expect(!context.commitInsertion { _ in Issue.record("called again") })
            #expect(!context.deletePlaceholder())
        }
        #expect(isCommitted)
        #expect(table.texts(rows) == ["a", "x", "b", "c"])
        rows.sections[0].removeFirst()
        table.deleteRows(at: [IndexPath(row: 0, section: 0)])
        #expect(table.texts(rows) == ["x", "b", "c"])
    }

    @Test("items outside of the session may have placeholders at any path, and the coordinator may be retained")
    func oddItems() throws {
        var kept: (any TableDropCoordinator)?
        drop(["x"]) { kept = $0 }
        let coordinator = try #require(kept)
        let paths = [[0, 1], [0, 1], [0, Int.max], [0, Int.min], [0], [7, 0], [-1, 2]].map { IndexPath(indexes: $0) }
        let contexts = paths.map { path in
            coordinator.drop(
                DragItem(text: "stranger"),
                to: TableDropPlaceholder(insertionIndexPath: path, reuseIdentifier: "row")
            )
        }
        let stranger = TableDropPlaceholder(insertionIndexPath: paths[0], reuseIdentifier: "row")
        commit(coordinator.drop(DragItem(text: "y"), to: stranger), "y")
        for path in paths { coordinator.drop(coordinator.items[0].dragItem, toRowAt: path) }
        for (index, context) in contexts.enumerated() where index != 4 { commit(context, "\(index)") }
        #expect(!contexts[4].deletePlaceholder())
        #expect(rows.sections[0] == ["5", "3", "6", "a", "0", "1", "y", "b", "c", "2"])
    }

    @Test("a placeholder can become a row within a batch")
    func inBatch() {
        let contexts = dropToPlaceholders(["x", "y"], at: 2)
        table.performBatchUpdates {
            rows.sections[0].removeFirst()
            table.deleteRows(at: [IndexPath(row: 0, section: 0)])
            #expect(commit(contexts[0], "x") == 1)
            rows.sections[0].append("end")
            table.insertRows(at: [IndexPath(row: 3, section: 0)])
        }
        #expect(rows.sections[0] == ["b", "x", "c", "end"])
        #expect(table.texts(rows) == ["b", "x", "<1>", "c", "end"])
        #expect(commit(contexts[1], "y") == 2)
    }

    @Test("placeholders keep their order while others are inserted and removed", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pending: [(context: any TableDropPlaceholderContext, text: String)] = []
        var expected: [String] = table.texts(rows)
        for step in 0..<30 {
            let row = Int.random(in: 0...rows.sections[0].count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let context = dropToPlaceholders(["\(step)"], at: row)[0]
                pending.append((context, "p\(step)"))
                let next = rows.sections[0].dropFirst(row).first
                expected.insert("<0>", at: next.flatMap { expected.firstIndex(of: $0) } ?? expected.count)
            case 1:
                rows.sections[0].insert("r\(step)", at: row)
                table.insertRows(at: [IndexPath(row: row, section: 0)])
                expected = table.texts(rows)
            case 2 where row < rows.sections[0].count:
                let text = rows.sections[0].remove(at: row)
                table.deleteRows(at: [IndexPath(row: row, section: 0)])
                expected.removeAll { $0 == text }
            default:
                guard let next = pending.indices.randomElement(using: &random) else { continue }
                let (context, text) = pending.remove(at: next)
                let before = table.texts(rows)
                commit(context, text)
                let after = table.texts(rows)
                // The row is where the placeholder was, and nothing else has moved.
                let at = after.firstIndex(of: text)
                #expect(at.map { before[$0] } == "<0>", "seed \(seed), step \(step)")
                expected = before
                if let at { expected[at] = text }
            }
            #expect(table.texts(rows) == expected, "seed \(seed), step \(step)")
        }
    }
}
