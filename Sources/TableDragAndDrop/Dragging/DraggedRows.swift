import FoundationEssentials
import PasteboardKit

/// The rows that items were given for, as long as no row has changed since.
struct DraggedRows {
    private struct Row {
        weak var item: DragItem?
        let path: IndexPath
    }

    private var rows: [Row] = []
    /// Another one after each change of rows: delegates may change them while they are asked.
    private(set) var revision = 0

    func path(of item: DragItem) -> IndexPath? {
        rows.first { $0.item === item }?.path
    }

    /// - Parameter revision: as it was when the delegate was asked.
    mutating func note(_ items: [DragItem], at path: IndexPath, since revision: Int) {
        guard revision == self.revision else { return }
        // A program may give an item again: it stands for the row that it was given for last.
        rows.removeAll { row in row.item.map { item in items.contains { $0 === item } } ?? true }
        rows += items.map { Row(item: $0, path: path) }
    }

    mutating func forget() {
        rows = []
        revision += 1
    }
}
