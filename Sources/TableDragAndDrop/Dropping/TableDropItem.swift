public import FoundationEssentials
public import PasteboardKit

/// One item of a drop.
@MainActor
public protocol TableDropItem: AnyObject, Sendable {
    /// The item.
    var dragItem: DragItem { get }
    /// The row that it was given for, if that is one of the same table, and as long as no row of that has changed since.
    var sourceIndexPath: IndexPath? { get }
}
