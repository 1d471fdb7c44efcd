public import FoundationEssentials
public import PasteboardKit

/// A table without a screen: sections of rows that can be dragged and dropped, within this process and between processes.
///
/// A data source says how many rows there are, and is asked for the numbers once; from then on the table is told of each
/// change of rows, and compares. Index paths are those of the data source: placeholders, which it does not know of, are not
/// counted among them.
@MainActor
public final class Table: InteractionView {
    /// How a change of rows would be shown. Without a screen there is no difference.
    public enum RowAnimation: Sendable {
        /// As the table likes.
        case automatic
        /// At once.
        case none
    }

    /// The height of a row that is as high as what it shows.
    public nonisolated static let automaticDimension = -1.0

    /// Where the rows come from. Another one is asked anew, as by ``reloadData()``.
    public weak var dataSource: (any TableDataSource)? {
        didSet { if dataSource !== oldValue { forgetRows() } }
    }
    /// What gives items for rows; nil: no drag begins here.
    public weak var dragDelegate: (any TableDragDelegate)?
    /// What takes drops; nil: none is accepted.
    public weak var dropDelegate: (any TableDropDelegate)?
    /// Whether drags may begin here. It does not concern drops.
    public var dragInteractionEnabled = true
    /// Whether the user is editing; what that means is the delegates' business.
    public var isEditing = false

    /// Rows that the data source had when it was last asked; nil: it was not asked yet.
    var rowCounts: [Int]?
    /// The changes since the outermost batch began; nil: there is none.
    var batch: Batch?
    var selection: Set<IndexPath> = []
    var placeholders = PlaceholderRows()
    var draggedRows = DraggedRows()
    /// The drags that began here, as long as somebody else holds them.
    var drags: [WeakDrag] = []
    /// The sessions that are over the table.
    var visits: [ObjectIdentifier: Visit] = [:]

    /// Makes a table without rows.
    public override init(frame: Rect = .zero) {
        super.init(frame: frame)
        ownDropTarget = TableDropTarget(self)
    }

    /// Whether rows of this table have been lifted and not dropped yet, here or elsewhere.
    public var hasActiveDrag: Bool {
        drags.contains { $0.drag?.isActive == true }
    }

    /// Whether a session is over the table, and not dropped yet.
    public var hasActiveDrop: Bool { !visits.isEmpty }

    /// Whether the rows are not what the data source has: a batch of changes is under way, a gap is open for a drop, or there
    /// are placeholders. ``reloadData()`` would take them away.
    public var hasUncommittedUpdates: Bool {
        batch != nil || !placeholders.isEmpty || visits.values.contains { $0.opensGap }
    }

    /// Begins or ends editing.
    public func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }

    /// The rows of a section as a screen shows them, with the placeholders between them.
    public func presentedRows(inSection section: Int) -> [TableRow] {
        placeholders.shown(inSection: section, count: numberOfRows(inSection: section)).map {
            switch $0 {
            case .row(let path): .row(path)
            case .placeholder(let placeholder): .placeholder(placeholder.updatedCell())
            }
        }
    }

    /// The rows that are selected, from the first on; nil: none is.
    public var indexPathsForSelectedRows: [IndexPath]? {
        selection.isEmpty ? nil : selection.sorted()
    }

    /// Selects one more row, so that a drag of any of the selected ones is one of them all.
    ///
    /// - Parameters:
    ///   - indexPath: a row that is not there is not selected; nil: no row is selected any more.
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
