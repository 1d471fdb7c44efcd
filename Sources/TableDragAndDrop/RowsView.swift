public import Foundation
public import PasteboardCompatibility
import PasteboardKit

/// A view of sections of rows, without a screen: the behaviour that tables and collection views have in common.
///
/// The view asks its data source for the numbers of rows once. After that the program reports each change of rows to
/// the view, which checks it against the data source. Index paths are those of the data source: placeholders, which
/// the data source does not know, are not counted.
@MainActor
open class RowsView: InteractionView {
    /// The animation of a change of rows. It makes no difference, as there is no screen.
    public enum RowAnimation: Sendable {
        /// The animations that UIKit has.
        case automatic, none, fade, left, right, top, middle, bottom
    }

    /// The position to scroll to. It makes no difference, as there is no screen.
    public struct ScrollPosition: OptionSet, Sendable {
        /// The bits of the positions.
        public let rawValue: Int
        /// Makes positions from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// The positions that UIKit has.
        public static let none = Self(), top = Self(), middle = Self(), bottom = Self(), left = Self(), right = Self(),
            centeredVertically = Self(), centeredHorizontally = Self()
    }

    /// Whether drags may begin here. It does not affect drops.
    public var dragInteractionEnabled = true
    /// Whether the user is editing. Only the delegates give it a meaning.
    open var isEditing = false
    /// Whether rows can be selected.
    public var allowsSelection = true
    /// Whether several rows can be selected. If false, a selected row replaces the one that was selected before.
    public var allowsMultipleSelection = false

    /// The number of rows in each section when the data source was last asked; nil if it has not been asked yet.
    var rowCounts: [Int]?
    /// The changes since the outermost batch began; nil outside of a batch.
    var batch: Batch?
    var selection: Set<IndexPath> = []
    var placeholders = PlaceholderRows()
    var draggedRows = DraggedRows()
    /// The drags that began here and that another object still holds.
    var drags: [WeakDrag] = []
    /// The proposals for the sessions that are over the view.
    var drops: [ObjectIdentifier: TableDropProposal] = [:]
    /// The classes of cells, by reuse identifier.
    var cellClasses: [String: AnyClass] = [:]
    /// Whether a default implementation of the data source was called, since this was last set to false.
    var isUnanswered = false

    /// Makes a view without rows.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        ownDropTarget = RowsDropTarget(self)
    }

    /// Makes a view without rows and with an empty frame.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        ownDropTarget = RowsDropTarget(self)
    }

    /// Records that a default implementation of the data source was called.
    @discardableResult
    func unanswered() -> Bool {
        isUnanswered = true
        return true
    }

    /// Whether a drag that contains rows of this view has begun and was not dropped yet, here or elsewhere.
    public var hasActiveDrag: Bool {
        drags.contains { $0.drag?.isActive == true }
    }

    /// Whether a session is over the view and was not dropped yet.
    public var hasActiveDrop: Bool { !drops.isEmpty }

    /// Whether the rows shown differ from those of the data source: during a batch of changes, while a gap is open for
    /// a drop, or while there are placeholders. ``reloadData()`` removes the placeholders.
    public var hasUncommittedUpdates: Bool {
        batch != nil || !placeholders.isEmpty || drops.values.contains { $0.opensGap }
    }

    /// Begins or ends editing.
    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }

    /// Asks the data source again. This removes placeholders and clears the selection.
    open func reloadData() {
        forgetRows()
        _ = counts
    }

    /// The selected row, or the first one of several; nil if there is none.
    public var indexPathForSelectedRow: IndexPath? { selection.min() }

    /// The selected rows in ascending order; nil if there are none.
    public var indexPathsForSelectedRows: [IndexPath]? {
        selection.isEmpty ? nil : selection.sorted()
    }

    /// Selects a row. It replaces the selection, unless ``allowsMultipleSelection`` is true. A drag of any selected row
    /// includes all of them.
    ///
    /// - Parameters:
    ///   - indexPath: the row. A row that does not exist is ignored; nil clears the selection.
    ///   - animated: makes no difference.
    ///   - scrollPosition: makes no difference.
    public func selectRow(
        at indexPath: IndexPath?,
        animated: Bool = false,
        scrollPosition: ScrollPosition = .none
    ) {
        guard let indexPath else {
            selection = []
            return
        }
        guard allowsSelection, indexPath.isRow(of: counts) else { return }
        if !allowsMultipleSelection { selection = [] }
        selection.insert(indexPath)
    }

    /// Deselects one row.
    public func deselectRow(at indexPath: IndexPath, animated: Bool = false) {
        selection.remove(indexPath)
    }
}
