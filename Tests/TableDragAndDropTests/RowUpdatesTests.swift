import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
struct RowUpdatesTests {
    /// A table of letters that applies updates to its rows.
    struct Letters {
        var sections: [[String]]

        func path(of letter: String) -> IndexPath? {
            for (section, rows) in sections.enumerated() {
                if let row = rows.firstIndex(of: letter) { return IndexPath(row: row, section: section) }
            }
            return nil
        }
    }

    @Test(
        "an impossible change is reported with a message",
        arguments: [
            ([IndexPath](), [IndexPath(row: 3, section: 0)], [3], [2], "0-3 is deleted"),
            ([IndexPath(row: 4, section: 0)], [], [3], [4], "0-4 is inserted"),
            ([], [], [3], [3, 1], "1 sections before"),
            ([IndexPath(row: 0, section: -1)], [], [0], [1], "-1-0"),
            ([IndexPath(row: -1, section: 0)], [], [0], [1], "0--1"),
        ] as [([IndexPath], [IndexPath], [Int], [Int], String)]
    )
    func contradicted(inserted: [IndexPath], deleted: [IndexPath], before: [Int], after: [Int], text: String) throws {
        var updates = RowUpdates()
        for path in inserted { updates.insert(path) }
        for path in deleted { updates.delete(path) }
        let contradiction = try #require(updates.contradiction(before: before, after: after))
        #expect(contradiction.contains(text), "\(contradiction)")
    }

    @Test("a row that moves to a gap is on the side from which it was moved")
    func gapOfMovedRow() {
        let path = { IndexPath(row: $0, section: 0) }
        var down = RowUpdates()
        down.move(path(1), to: path(3))
        #expect((0...5).map { down.gap(after: path($0))?.row } == [0, 1, 1, 2, 4, 5])
        var up = RowUpdates()
        up.move(path(3), to: path(1))
        #expect((0...5).map { up.gap(after: path($0))?.row } == [0, 1, 3, 4, 4, 5])
    }

    @Test("rows are found at their index in the model after any update", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let chance = { (random: inout SeededGenerator) in Int.random(in: 0..<4, using: &random) == 0 }
        var letters = 0
        func letter() -> String {
            letters += 1
            return "r\(letters)"
        }
        func section(_ random: inout SeededGenerator) -> [String] {
            // The first row stands for the section. It is never changed.
            (0...Int.random(in: 0...5, using: &random)).map { _ in letter() }
        }
        let old = Letters(sections: (0..<3).map { _ in section(&random) })
        // Make the new table first, by deleting, moving and inserting rows and sections. Then make the calls that
        // report it.
        var updates = RowUpdates()
        var new = Letters(sections: old.sections.map { [$0[0]] + $0.dropFirst().filter { _ in !chance(&random) } })
        let rows = new.sections.flatMap { $0.dropFirst() }
        let movedLetters = Set(rows.filter { _ in chance(&random) })
        for index in new.sections.indices { new.sections[index].removeAll { movedLetters.contains($0) } }
        var gone: Set<String> = []
        var movedSections: [[String]] = []
        for (index, rows) in old.sections.enumerated() where chance(&random) {
            let now = new.sections.firstIndex { $0[0] == rows[0] }
            let removed = now.map { new.sections.remove(at: $0) } ?? []
            if chance(&random) {
                movedSections.append(removed)
            } else {
                updates.sections.delete(index)
                gone.formUnion(removed)
            }
        }
        for section in movedSections {
            new.sections.insert(section, at: Int.random(in: 0...new.sections.count, using: &random))
        }
        let added = (0..<Int.random(in: 0...2, using: &random)).map { _ in section(&random) }
        for section in added {
            new.sections.insert(section, at: Int.random(in: 0...new.sections.count, using: &random))
        }
        let arriving = movedLetters.sorted() + (0..<Int.random(in: 0...3, using: &random)).map { _ in letter() }
        for row in new.sections.isEmpty ? [] : arriving {
            let section = Int.random(in: new.sections.indices, using: &random)
            let place = Int.random(in: 1...new.sections[section].count, using: &random)
            new.sections[section].insert(row, at: place)
        }
        for section in movedSections {
            guard let before = old.path(of: section[0]), let after = new.path(of: section[0]) else { continue }
            updates.sections.move(before.section, to: after.section)
        }
        for section in added {
            if let after = new.path(of: section[0]) { updates.sections.insert(after.section) }
        }
        for row in old.sections.joined() {
            guard let before = old.path(of: row) else { continue }
            if let after = new.path(of: row) {
                if movedLetters.contains(row) { updates.move(before, to: after) }
            } else if !gone.contains(row) || chance(&random) {
                updates.delete(before)
            }
        }
        for row in new.sections.joined() where old.path(of: row) == nil && !added.joined().contains(row) {
            if let after = new.path(of: row) { updates.insert(after) }
        }

        let counts = (old.sections.map(\.count), new.sections.map(\.count))
        #expect(updates.contradiction(before: counts.0, after: counts.1) == nil, "seed \(seed)")
        for row in old.sections.joined() {
            guard let before = old.path(of: row) else { continue }
            #expect(updates.path(after: before) == new.path(of: row), "seed \(seed), row \(row)")
        }
        for (section, rows) in old.sections.enumerated() {
            let gaps = (0...rows.count).map { updates.gap(after: IndexPath(row: $0, section: section)) }
            let now = new.path(of: rows[0])?.section
            #expect(gaps.allSatisfy { $0?.section == now }, "seed \(seed)")
            let numbers = gaps.compactMap { $0?.row }
            #expect(numbers == numbers.sorted(), "seed \(seed)")
            if let now { #expect(numbers.allSatisfy { $0 <= new.sections[now].count }, "seed \(seed)") }
        }
    }
}
