import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

/// Delegates and data sources that change the rows during any of their calls.
@Suite(.inProcess)
@MainActor
struct TableStormTests {
    /// A table with a model that reports each change to it, even during a call of a delegate.
    @MainActor
    private final class Storm {
        let rows = TestRows(["a", "b", "c", "d"], ["e"], [])
        let table: Table
        private var random: SeededGenerator
        private var contexts: [any TableDropPlaceholderContext] = []
        private var coordinators: [any TableDropCoordinator] = []
        /// The nesting depth of callbacks.
        private var depth = 0
        private var names = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            table = rows.makeTable()
            let change = { [unowned self] in maybeChange() }
            (rows.onItems, rows.onHover, rows.onCanMove) = (change, change, change)
            rows.onMove = { [unowned self] in if chance(20) { addToMove() } }
            rows.onDrop = { [unowned self] in perform($0) }
        }

        private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

        private func path(orBehind: Bool) -> IndexPath? {
            guard let section = rows.sections.indices.randomElement(using: &random) else { return nil }
            let count = rows.sections[section].count + (orBehind ? 1 : 0)
            return count == 0 ? nil : IndexPath(row: Int.random(in: 0..<count, using: &random), section: section)
        }

        private func name() -> String {
            names += 1
            return "n\(names)"
        }

        private func maybeChange() {
            guard depth < 3, chance(20) else { return }
            depth += 1
            change()
            depth -= 1
        }

        private func change() {
            switch Int.random(in: 0..<11, using: &random) {
            case 0:
                guard let path = path(orBehind: true) else { return }
                rows.sections[path.section].insert(name(), at: path.row)
                table.insertRows(at: [path])
            case 1:
                guard let path = path(orBehind: false) else { return }
                rows.sections[path.section].remove(at: path.row)
                table.deleteRows(at: [path])
            case 2:
                guard let source = path(orBehind: false) else { return }
                let row = rows.sections[source.section].remove(at: source.row)
                guard let target = path(orBehind: true) else { return }
                rows.sections[target.section].insert(row, at: target.row)
                table.moveRow(at: source, to: target)
            case 3:
                // Within a batch, paths are those from before it, so only one change is made.
                depth += 3
                defer { depth -= 3 }
                table.performBatchUpdates { [self] in
                    guard let path = path(orBehind: false) else { return }
                    rows.sections[path.section].remove(at: path.row)
                    table.deleteRows(at: [path])
                    resolve()
                }
            case 4:
                rows.sections.reverse()
                table.reloadData()
            case 5: if let path = path(orBehind: true) { table.selectRow(at: path) }
            case 6: _ = table.presentedRows(inSection: 0)
            case 7: show()
            case 8: changeSection()
            case 9:
                depth += 3
                defer { depth -= 3 }
                table.performBatchUpdates { changeSection() }
            default: resolve()
            }
        }

        private func changeSection() {
            let section = Int.random(in: 0...rows.sections.count, using: &random)
            let isThere = section < rows.sections.count
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where isThere:
                rows.sections.remove(at: section)
                table.deleteSections([section])
            case 1 where isThere:
                rows.sections[section] = [name()]
                table.reloadSections([section])
            case 2 where isThere:
                let moved = rows.sections.remove(at: section)
                let target = Int.random(in: 0...rows.sections.count, using: &random)
                rows.sections.insert(moved, at: target)
                table.moveSection(section, toSection: target)
            default:
                guard rows.sections.count < 6 else { return }
                rows.sections.insert([name(), name()], at: section)
                table.insertSections([section])
            }
        }

        /// A change reported in the middle of a move: the model has changed already, and the table has not.
        private func addToMove() {
            depth += 3
            defer { depth -= 3 }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                guard let path = path(orBehind: true) else { return }
                rows.sections[path.section].insert(name(), at: path.row)
                table.insertRows(at: [path])
            case 1: table.reloadData()
            default: resolve()
            }
        }

        private func resolve() {
            guard let context = contexts.randomElement(using: &random) else { return }
            if chance(30) {
                context.deletePlaceholder()
            } else {
                let text = name()
                context.commitInsertion { path in
                    maybeChange()
                    // The table was notified of all changes so far, which may have moved or deleted the section.
                    let current = (context as? PlaceholderRow).flatMap { table.placeholders.path(of: $0) }
                    let section = (table.batch == nil ? current : path)?.section ?? 0
                    guard rows.sections.indices.contains(section) else { return }
                    let row = min(path.row, rows.sections[section].count)
                    rows.sections[section].insert(text, at: row)
                }
            }
        }

        private func show() {
            guard let coordinator = coordinators.randomElement(using: &random), let path = path(orBehind: true) else {
                return
            }
            let placeholder = TableDropPlaceholder(insertionIndexPath: path, reuseIdentifier: "row")
            placeholder.cellUpdateHandler = { [weak self] cell in
                cell.textLabel?.text = "?"
                self?.maybeChange()
            }
            contexts.append(coordinator.drop(coordinator.items[0].dragItem, to: placeholder))
        }

        private func perform(_ coordinator: any TableDropCoordinator) {
            coordinators.append(coordinator)
            show()
            maybeChange()
            for item in coordinator.items {
                guard let source = item.sourceIndexPath else { continue }
                #expect(source.isRow(of: rows.sections.map(\.count)))
                coordinator.drop(item.dragItem, toRowAt: source)
            }
        }

        /// A drag that is moved over the table and dropped or not.
        func drag() {
            rows.canMove = chance(70)
            rows.proposal = TableDropProposal(
                operation: chance(80) ? .move : .copy,
                intent: chance(70) ? .insertAtDestinationIndexPath : .automatic
            )
            guard let start = path(orBehind: false) else { return change() }
            let items = table.itemsForBeginning(TestDrag(), at: start)
            guard !items.isEmpty else { return }
            let drag = TestDrag(items)
            let (contributor, _) = table.willBegin(drag)
            let session = TestDrop(items, from: chance(80) ? drag : nil)
            _ = table.canHandle(session)
            table.enter(session)
            let place = path(orBehind: true)
            _ = table.update(session, at: place)
            if chance(80) {
                contributor.end(drag)
                table.perform(session, at: place, operation: rows.proposal?.operation ?? .copy)
            } else {
                table.exit(session)
                contributor.end(drag)
            }
            table.end(session)
        }

        func check(_ step: String) {
            #expect(!table.hasActiveDrag && !table.hasActiveDrop, "\(step)")
            #expect(table.numberOfSections == rows.sections.count, "\(step)")
            for (section, texts) in rows.sections.enumerated() {
                #expect(table.numberOfRows(inSection: section) == texts.count, "\(step)")
                let shown = table.placeholders.shown(inSection: section, count: texts.count)
                let paths = shown.compactMap { if case .row(let path) = $0 { path.row } else { nil } }
                #expect(paths == Array(texts.indices), "\(step)")
            }
            for selected in table.indexPathsForSelectedRows ?? [] {
                #expect(selected.isRow(of: rows.sections.map(\.count)), "\(step)")
            }
        }

        /// Checks that no placeholder is left and that nothing has arrived twice.
        func end(_ step: String) {
            for context in contexts { context.deletePlaceholder() }
            #expect(!table.hasUncommittedUpdates, "\(step)")
            let texts = rows.sections.joined()
            #expect(Set(texts).count == texts.count, "\(step)")
            check(step)
        }
    }

    @Test(
        "the table stays consistent with its data source, whatever delegates change while they are asked",
        arguments: Seeds.fixed(1)
    )
    func storm(first: UInt64) {
        for offset in 0..<300 as Range<UInt64> {
            let seed = first &+ offset
            let storm = Storm(seed: seed)
            for step in 0..<30 {
                storm.drag()
                storm.check("seed \(seed), step \(step)")
            }
            storm.end("seed \(seed)")
        }
    }
}
