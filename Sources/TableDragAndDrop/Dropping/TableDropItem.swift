public import FoundationEssentials
public import PasteboardKit

/// One item of a drop.
@MainActor
public protocol TableDropItem: AnyObject, Sendable {
    /// The item.
    var dragItem: DragItem { get }
    /// The row for which the item was given, if it is a row of the same table and no row has changed since.
    var sourceIndexPath: IndexPath? { get }
}
