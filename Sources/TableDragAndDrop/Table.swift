public import Foundation
public import PasteboardCompatibility
import PasteboardKit

/// A table without a screen: sections of rows that can be dragged and dropped, within this process and between
/// processes.
///
/// The table asks its data source for the numbers of rows once. After that the program reports each change of rows to
/// the table, which checks it against the data source. Index paths are those of the data source: placeholders, which
/// the data source does not know, are not counted.
@MainActor
public final class Table: InteractionView {
    /// The animation of a change of rows. It makes no difference, as there is no screen.
    public enum RowAnimation: Sendable {
        /// The animations that UIKit has.
        case automatic, none, fade, left, right, top, middle, bottom
    }

    /// The height of a row that is as high as its contents.
    public nonisolated static let automaticDimension = -1.0

    /// The provider of the rows. Setting another one reloads the table, as ``reloadData()`` does.
    public weak var dataSource: (any TableDataSource)? {
        didSet { if dataSource !== oldValue { forgetRows() } }
    }
    /// The provider of items for rows. If nil, no drag begins here.
    public weak var dragDelegate: (any TableDragDelegate)?
    /// The receiver of drops. If nil, the table accepts none.
    public weak var dropDelegate: (any TableDropDelegate)?
    /// Whether drags may begin here. It does not affect drops.
    public var dragInteractionEnabled = true
    /// Whether the user is editing. Only the delegates give it a meaning.
    public var isEditing = false

    /// The number of rows in each section when the data source was last asked; nil if it has not been asked yet.
    var rowCounts: [Int]?
    /// The changes since the outermost batch began; nil outside of a batch.
    var batch: Batch?
    var selection: Set<IndexPath> = []
    var placeholders = PlaceholderRows()
    var draggedRows = DraggedRows()
    /// The drags that began here and that another object still holds.
    var drags: [WeakDrag] = []
    /// The proposals for the sessions that are over the table.
    var drops: [ObjectIdentifier: TableDropProposal] = [:]

    /// Makes a table without rows.
    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
        ownDropTarget = TableDropTarget(self)
    }

    /// Whether a drag that contains rows of this table has begun and was not dropped yet, here or elsewhere.
    public var hasActiveDrag: Bool {
        drags.contains { $0.drag?.isActive == true }
    }

    /// Whether a session is over the table and was not dropped yet.
    public var hasActiveDrop: Bool { !drops.isEmpty }

    /// Whether the rows shown differ from those of the data source: during a batch of changes, while a gap is open for
    /// a drop, or while there are placeholders. ``reloadData()`` removes the placeholders.
    public var hasUncommittedUpdates: Bool {
        batch != nil || !placeholders.isEmpty || drops.values.contains { $0.opensGap }
    }

    /// Begins or ends editing.
    public func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }

    /// The rows of a section as a screen would show them, including placeholders.
    public func presentedRows(inSection section: Int) -> [TableRow] {
        placeholders.shown(inSection: section, count: numberOfRows(inSection: section)).map {
            switch $0 {
            case .row(let path): .row(path)
            case .placeholder(let placeholder): .placeholder(placeholder.updatedCell())
            }
        }
    }

    /// The selected rows in ascending order; nil if there are none.
    public var indexPathsForSelectedRows: [IndexPath]? {
        selection.isEmpty ? nil : selection.sorted()
    }

    /// Adds a row to the selection. A drag of any selected row includes all of them.
    ///
    /// - Parameters:
    ///   - indexPath: the row. A row that does not exist is ignored; nil clears the selection.
    ///   - animated: makes no difference.
    public func selectRow(at indexPath: IndexPath?, animated: Bool = false) {
        guard let indexPath else {
            selection = []
            return
        }
        if indexPath.isRow(of: counts) { selection.insert(indexPath) }
    }

    /// Deselects one row.
    public func deselectRow(at indexPath: IndexPath, animated: Bool = false) {
        selection.remove(indexPath)
    }
}
