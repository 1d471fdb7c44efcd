import FoundationEssentials
import PasteboardKit

/// The rows for which the delegate gave items. Any change of rows invalidates them.
struct DraggedRows {
    private struct Row {
        weak var item: DragItem?
        let path: IndexPath
    }

    private var rows: [Row] = []
    /// A number that increases with each change of rows. It shows whether a delegate has changed rows while it was
    /// asked.
    private(set) var revision = 0

    func path(of item: DragItem) -> IndexPath? {
        rows.first { $0.item === item }?.path
    }

    /// - Parameter revision: the value of `revision` before the delegate was asked.
    mutating func record(_ items: [DragItem], at path: IndexPath, since revision: Int) {
        guard revision == self.revision else { return }
        // A program may give the same item for two rows: it then stands for the row that it was given for last.
        rows.removeAll { row in row.item.map { item in items.contains { $0 === item } } ?? true }
        rows += items.map { Row(item: $0, path: path) }
    }

    mutating func forget() {
        rows = []
        revision += 1
    }
}
