public import FoundationEssentials
public import PasteboardKit

/// What a placeholder becomes, once its item is known. Each is to be resolved one way or the other: a drop is complete, and a
/// move deletes at its source, only when all of them are.
@MainActor
public protocol TableDropPlaceholderContext: AnyObject, Sendable {
    /// The item that the placeholder stands for.
    var dragItem: DragItem { get }

    /// Makes a row of the placeholder.
    ///
    /// - Parameter dataSourceUpdates: inserts one row into the model, at the path it gets: where the placeholder is now, which
    ///   need not be where it was inserted. The table is not to be told of it.
    /// - Returns: false, without calling anything, if the placeholder has gone: the table was reloaded, or this was resolved.
    @discardableResult
    func commitInsertion(dataSourceUpdates: (_ insertionIndexPath: IndexPath) -> Void) -> Bool

    /// Takes the placeholder away: its item is not wanted, or could not be loaded. A move deletes nothing then.
    ///
    /// - Returns: false if the placeholder has gone.
    @discardableResult
    func deletePlaceholder() -> Bool
}
