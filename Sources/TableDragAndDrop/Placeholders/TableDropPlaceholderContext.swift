public import FoundationEssentials
public import PasteboardKit

/// Resolves a placeholder once its item is known. Resolve each placeholder: until then the drop is not complete, and a
/// move does not delete the items at its source.
@MainActor
public protocol TableDropPlaceholderContext: AnyObject, Sendable {
    /// The item that the placeholder stands for.
    var dragItem: DragItem { get }

    /// Replaces the placeholder by a row.
    ///
    /// - Parameter dataSourceUpdates: inserts one row into the model at the path that it receives. This is the current
    ///   path of the placeholder, which may differ from the one at which it was inserted. Do not report this row to the
    ///   table.
    /// - Returns: false, without calling the block, if the placeholder was removed or resolved, or if the table was
    ///   reloaded.
    @discardableResult
    func commitInsertion(dataSourceUpdates: (_ insertionIndexPath: IndexPath) -> Void) -> Bool

    /// Removes the placeholder if its item is not wanted or could not be loaded. A move then deletes nothing.
    ///
    /// - Returns: false if the placeholder was removed before.
    @discardableResult
    func deletePlaceholder() -> Bool
}

extension TableDropPlaceholderContext {
    /// Does nothing: each call that returns the presented rows updates the cells of placeholders.
    public func setNeedsCellUpdate() {}
}
