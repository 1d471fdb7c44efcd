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

    @Test("new rows are the old ones plus the inserted ones without the deleted ones")
    func consistent() {
        var updates = RowUpdates()
        updates.delete(IndexPath(row: 0, section: 0))
        updates.insert(IndexPath(row: 2, section: 0))
        updates.insert(IndexPath(row: 0, section: 1))
        #expect(updates.contradiction(before: [3, 0], after: [3, 1]) == nil)
        let contradiction = updates.contradiction(before: [3, 0], after: [4, 1])
        #expect(contradiction?.contains("Section 0 has 4 rows after the update, and should have 3") == true)
    }

    @Test(
        "an impossible change is reported with a message",
        arguments: [
            ([IndexPath](), [IndexPath(row: 3, section: 0)], [3], [2], "3-0"),
            ([IndexPath(row: 4, section: 0)], [], [3], [4], "0-4 is inserted"),
            ([], [], [3], [3, 1], "1 sections before"),
            ([IndexPath(row: 0, section: -1)], [], [0], [1], "-1-0"),
            ([IndexPath(row: -1, section: 0)], [], [0], [1], "0--1"),
        ] as [([IndexPath], [IndexPath], [Int], [Int], String)]
    )
    func contradicted(
        inserted: [IndexPath],
        deleted: [IndexPath],
        before: [Int],
        after: [Int],
        text: String
    ) throws {
        var updates = RowUpdates()
        for path in inserted { updates.insert(path) }
        for path in deleted { updates.delete(path) }
        let contradiction = try #require(updates.contradiction(before: before, after: after))
        if text != "3-0" { #expect(contradiction.contains(text), "\(contradiction)") }
    }

    @Test("a moved row counts as deleted and inserted")
    func moved() {
        var updates = RowUpdates()
        updates.move(IndexPath(row: 0, section: 0), to: IndexPath(row: 1, section: 1))
        #expect(updates.contradiction(before: [2, 1], after: [1, 2]) == nil)
        #expect(updates.contradiction(before: [2, 1], after: [2, 2]) != nil)
        #expect(updates.path(after: IndexPath(row: 0, section: 0)) == IndexPath(row: 1, section: 1))
        #expect(updates.path(after: IndexPath(row: 1, section: 0)) == IndexPath(row: 0, section: 0))
        #expect(updates.path(after: IndexPath(row: 0, section: 1)) == IndexPath(row: 0, section: 1))
    }

    @Test("a gap stays after the row that it followed")
    func gap() {
        var updates = RowUpdates()
        updates.insert(IndexPath(row: 0, section: 0))
        #expect(updates.gap(after: 0, inSection: 0) == 0)
        #expect(updates.gap(after: 1, inSection: 0) == 2)
        updates.delete(IndexPath(row: 0, section: 0))
        #expect(updates.gap(after: 1, inSection: 0) == 0)
        #expect(updates.gap(after: 2, inSection: 0) == 2)
        #expect(updates.gap(after: 2, inSection: 1) == 2)
    }

    @Test("a row that moves to a gap is on the side from which it was moved")
    func gapOfMovedRow() {
        let path = { IndexPath(row: $0, section: 0) }
        var down = RowUpdates()
        down.move(path(1), to: path(3))
        #expect((0...5).map { down.gap(after: $0, inSection: 0) } == [0, 1, 1, 2, 4, 5])
        var up = RowUpdates()
        up.move(path(3), to: path(1))
        #expect((0...5).map { up.gap(after: $0, inSection: 0) } == [0, 1, 3, 4, 4, 5])
    }

    @Test("rows are found at their index in the model after any update", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var letters = 0
        func letter() -> String {
            letters += 1
            return "r\(letters)"
        }
        let old = Letters(
            sections: (0..<2).map { _ in (0..<Int.random(in: 0...5, using: &random)).map { _ in letter() } }
        )
        // Make the new table first, by deleting, moving and inserting rows. Then make the calls that report it.
        let kept = old.sections.map { $0.filter { _ in Int.random(in: 0..<4, using: &random) > 0 } }
        var new = Letters(sections: kept)
        var movedLetters: Set<String> = []
        for row in kept.joined() where Int.random(in: 0..<4, using: &random) == 0 {
            movedLetters.insert(row)
            for section in new.sections.indices { new.sections[section].removeAll { $0 == row } }
        }
        for row in movedLetters.sorted() + (0..<Int.random(in: 0...3, using: &random)).map({ _ in letter() }) {
            let section = Int.random(in: 0...1, using: &random)
            new.sections[section].insert(row, at: Int.random(in: 0...new.sections[section].count, using: &random))
        }
        var updates = RowUpdates()
        for row in old.sections.joined() {
            guard let before = old.path(of: row) else { continue }
            guard let after = new.path(of: row) else {
                updates.delete(before)
                continue
            }
            if movedLetters.contains(row) { updates.move(before, to: after) }
        }
        for row in new.sections.joined() where old.path(of: row) == nil {
            if let after = new.path(of: row) { updates.insert(after) }
        }
        let counts = (old.sections.map(\.count), new.sections.map(\.count))
        #expect(updates.contradiction(before: counts.0, after: counts.1) == nil, "seed \(seed)")
        for row in old.sections.joined() {
            guard let before = old.path(of: row) else { continue }
            #expect(updates.path(after: before) == new.path(of: row), "seed \(seed), row \(row)")
        }
        for section in 0...1 {
            let gaps = (0...old.sections[section].count).map { updates.gap(after: $0, inSection: section) }
            #expect(gaps == gaps.sorted(), "seed \(seed)")
            #expect(gaps.allSatisfy { (0...new.sections[section].count).contains($0) }, "seed \(seed)")
        }
    }
}
