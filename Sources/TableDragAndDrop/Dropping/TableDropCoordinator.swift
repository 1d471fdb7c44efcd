public import FoundationEssentials
public import PasteboardKit

/// What was dropped on a table, and where.
@MainActor
public protocol TableDropCoordinator: AnyObject, Sendable {
    /// The session.
    var session: any DropSession { get }
    /// Its items, in their order.
    var items: [any TableDropItem] { get }
    /// Where it was dropped: a row, or the place behind the last one of a section; nil: neither. It is as it was then: rows that
    /// change while bytes are loaded do not change it. Placeholders follow them.
    var destinationIndexPath: IndexPath? { get }
    /// The proposal that holds, which may differ from the one that was returned.
    var proposal: TableDropProposal { get }

    /// Shows a placeholder for an item until its bytes have arrived.
    ///
    /// - Parameters:
    ///   - dragItem: one of the session's items.
    ///   - placeholder: where, and what it shows. There is one for each item.
    /// - Returns: what to make of it. The drop is not complete until that is settled.
    func drop(_ dragItem: DragItem, to placeholder: TableDropPlaceholder) -> any TableDropPlaceholderContext

    /// Says that an item is in the table now: as a row that the data source has, and that the table was told of. One of this
    /// process is taken with it, without a load.
    func drop(_ dragItem: DragItem, toRowAt indexPath: IndexPath)

    /// Says that an item is in the table now: as part of a row, at a place in it. One of this process is taken with it, without
    /// a load.
    func drop(_ dragItem: DragItem, intoRowAt indexPath: IndexPath, rect: Rect)
}

extension TableDropCoordinator {
    /// Shows a placeholder for an item until its bytes have arrived. The older spelling.
    ///
    /// - Parameters:
    ///   - dragItem: one of the session's items.
    ///   - indexPath: the place among the rows of the data source and the placeholders of the same drop.
    ///   - reuseIdentifier: what kind of row it is, as the program calls it.
    ///   - rowHeight: how high it is.
    ///   - cellUpdateHandler: fills in what the row shows.
    /// - Returns: what to make of it.
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
