public import Foundation
public import PasteboardKit

/// A drop on a table or a collection view: its items and its location.
@MainActor
public protocol TableDropCoordinator: AnyObject, Sendable {
    /// The session.
    var session: any DropSession { get }
    /// The items of the session, in order.
    var items: [any TableDropItem] { get }
    /// The location of the drop: a row, or the path after the last row of a section; nil if it was neither. It is the
    /// path at the time of the drop and does not follow later changes of rows; placeholders do.
    var destinationIndexPath: IndexPath? { get }
    /// The proposal in effect, which may differ from the one that the delegate returned.
    var proposal: TableDropProposal { get }

    /// Shows a placeholder for an item until its bytes have arrived.
    ///
    /// - Parameters:
    ///   - dragItem: one of the session's items.
    ///   - placeholder: the location and contents of the row.
    /// - Returns: a context that resolves the placeholder. The drop is not complete until it is resolved. An item has
    ///   one placeholder: another call for it shows nothing, and returns the context of the first.
    func drop<Cell: RowCell>(
        _ dragItem: DragItem,
        to placeholder: DropPlaceholder<Cell>
    ) -> any TableDropPlaceholderContext

    /// Reports that an item is now a row of the table. The data source must already have the row, and the table must
    /// have been notified of it. An item of this process then counts as taken without a load.
    func drop(_ dragItem: DragItem, toRowAt indexPath: IndexPath)

    /// Reports that an item is now part of a row, within `rect`. An item of this process then counts as taken without a
    /// load.
    func drop(_ dragItem: DragItem, intoRowAt indexPath: IndexPath, rect: CGRect)
}

extension TableDropCoordinator {
    /// Reports that an item is now an item of the collection view, as ``drop(_:toRowAt:)`` does for a row.
    public func drop(_ dragItem: DragItem, toItemAt indexPath: IndexPath) {
        drop(dragItem, toRowAt: indexPath)
    }

    /// Reports that an item is now part of another item, as ``drop(_:intoRowAt:rect:)`` does for a row.
    public func drop(_ dragItem: DragItem, intoItemAt indexPath: IndexPath, rect: CGRect) {
        drop(dragItem, intoRowAt: indexPath, rect: rect)
    }

    /// Shows a placeholder for an item until its bytes have arrived. This is the older spelling of ``drop(_:to:)``.
    ///
    /// - Parameters:
    ///   - dragItem: one of the session's items.
    ///   - indexPath: the path among the rows of the data source and the placeholders of the same drop.
    ///   - reuseIdentifier: the program's name for this kind of row.
    ///   - rowHeight: the height of the row.
    ///   - cellUpdateHandler: sets the contents of the row.
    /// - Returns: a context that resolves the placeholder.
    public func drop(
        _ dragItem: DragItem,
        toPlaceholderInsertedAt indexPath: IndexPath,
        withReuseIdentifier reuseIdentifier: String,
        rowHeight: Double,
        cellUpdateHandler: ((TableCell) -> Void)? = nil
    ) -> any TableDropPlaceholderContext {
        let placeholder = TableDropPlaceholder(
            insertionIndexPath: indexPath,
            reuseIdentifier: reuseIdentifier,
            rowHeight: rowHeight
        )
        placeholder.cellUpdateHandler = cellUpdateHandler
        return drop(dragItem, to: placeholder)
    }
}
