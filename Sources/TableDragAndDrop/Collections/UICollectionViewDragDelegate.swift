public import Foundation
public import PasteboardKit

/// The provider of items for drags from a collection view. Each method is that of ``TableDragDelegate`` for a table.
@MainActor
public protocol UICollectionViewDragDelegate: AnyObject {
    /// Returns the items of the drag for an item of the view.
    func collectionView(
        _ view: UICollectionView,
        itemsForBeginning drag: any DragSession,
        at path: IndexPath
    ) -> [DragItem]
    /// Returns the items to add to a session; none by default.
    func collectionView(
        _ view: UICollectionView,
        itemsForAddingTo drag: any DragSession,
        at path: IndexPath,
        point: CGPoint
    ) -> [DragItem]
    /// A drag with items of this view begins.
    func collectionView(_ view: UICollectionView, dragSessionWillBegin drag: any DragSession)
    /// The session was dropped anywhere, or was cancelled.
    func collectionView(_ view: UICollectionView, dragSessionDidEnd drag: any DragSession)
    /// Whether a destination may propose to move; true by default.
    func collectionView(_ view: UICollectionView, dragSessionAllowsMoveOperation drag: any DragSession) -> Bool
    /// Whether only this process sees the session; false by default.
    func collectionView(
        _ view: UICollectionView,
        dragSessionIsRestrictedToDraggingApplication drag: any DragSession
    ) -> Bool
    /// Whether a destination in another process may also propose to move; false by default.
    func collectionView(_ view: UICollectionView, dragSessionAllowsMoveBetweenProcesses drag: any DragSession) -> Bool
    /// The destination has everything it asked for. Delete the items now if they were moved. Does nothing by default.
    func collectionView(
        _ view: UICollectionView,
        dragSession drag: any DragSession,
        didTransferItemsBy operation: DropOperation
    )
}

extension UICollectionViewDragDelegate {
    /// Returns no items.
    public func collectionView(
        _ view: UICollectionView,
        itemsForAddingTo drag: any DragSession,
        at path: IndexPath,
        point: CGPoint
    ) -> [DragItem] { [] }
    /// Does nothing.
    public func collectionView(_ view: UICollectionView, dragSessionWillBegin drag: any DragSession) {}
    /// Does nothing.
    public func collectionView(_ view: UICollectionView, dragSessionDidEnd drag: any DragSession) {}
    /// Returns true.
    public func collectionView(_ view: UICollectionView, dragSessionAllowsMoveOperation drag: any DragSession) -> Bool {
        true
    }
    /// Returns false.
    public func collectionView(
        _ view: UICollectionView,
        dragSessionIsRestrictedToDraggingApplication drag: any DragSession
    ) -> Bool { false }
    /// Returns false.
    public func collectionView(
        _ view: UICollectionView,
        dragSessionAllowsMoveBetweenProcesses drag: any DragSession
    ) -> Bool { false }
    /// Does nothing.
    public func collectionView(
        _ view: UICollectionView,
        dragSession drag: any DragSession,
        didTransferItemsBy operation: DropOperation
    ) {}
}
