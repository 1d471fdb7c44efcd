public import Foundation
public import PasteboardKit

/// The contents of a collection view, as ``TableDataSource`` has those of a table.
@MainActor
public protocol UICollectionViewDataSource: AnyObject {
    /// The number of sections; 1 by default.
    func numberOfSections(in view: UICollectionView) -> Int
    /// The number of items in a section.
    func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int) -> Int
    /// The cell of an item. Only `cellForItem(at:)` asks for it.
    func collectionView(_ view: UICollectionView, cellForItemAt path: IndexPath) -> UICollectionViewCell
    /// Whether dragging this item within its own view calls the next method instead of dropping it. By default it does
    /// if the data source has that method.
    func collectionView(_ view: UICollectionView, canMoveItemAt path: IndexPath) -> Bool
    /// An item was dragged to another index in its own view. Update the model; the view updates itself.
    func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath)
}

extension UICollectionViewDataSource {
    /// Returns 1.
    public func numberOfSections(in view: UICollectionView) -> Int { 1 }
    /// Returns true.
    public func collectionView(_ view: UICollectionView, canMoveItemAt path: IndexPath) -> Bool {
        view.unanswered()
    }
    /// Does nothing. The item is then dropped.
    public func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath) {
        view.unanswered()
    }
}

/// A delegate of a collection view. It has no requirements: what it decides is the appearance, and a user's actions.
@MainActor
public protocol UICollectionViewDelegate: AnyObject {}
/// A delegate of a collection view with a flow layout.
public protocol UICollectionViewDelegateFlowLayout: UICollectionViewDelegate {}

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

/// The receiver of drops on a collection view. Each method is that of ``TableDropDelegate`` for a table.
@MainActor
public protocol UICollectionViewDropDelegate: AnyObject {
    /// The session was dropped.
    func collectionView(_ view: UICollectionView, performDropWith coordinator: any TableDropCoordinator)
    /// Whether the view accepts anything of the session; true by default.
    func collectionView(_ view: UICollectionView, canHandle drop: any DropSession) -> Bool
    /// The session has entered the view.
    func collectionView(_ view: UICollectionView, dropSessionDidEnter drop: any DropSession)
    /// Returns the proposal for a drop; by default a move of an item of this process, and otherwise a copy.
    func collectionView(
        _ view: UICollectionView,
        dropSessionDidUpdate drop: any DropSession,
        withDestinationIndexPath path: IndexPath?
    ) -> TableDropProposal
    /// The session has left the view.
    func collectionView(_ view: UICollectionView, dropSessionDidExit drop: any DropSession)
    /// A session that has been over the view has ended.
    func collectionView(_ view: UICollectionView, dropSessionDidEnd drop: any DropSession)
}

extension UICollectionViewDropDelegate {
    /// Returns true.
    public func collectionView(_ view: UICollectionView, canHandle drop: any DropSession) -> Bool { true }
    /// Does nothing.
    public func collectionView(_ view: UICollectionView, dropSessionDidEnter drop: any DropSession) {}
    /// Proposes to move if the session began in this process and allows it, otherwise to copy.
    public func collectionView(
        _ view: UICollectionView,
        dropSessionDidUpdate drop: any DropSession,
        withDestinationIndexPath path: IndexPath?
    ) -> TableDropProposal { TableDropProposal(default: drop) }
    /// Does nothing.
    public func collectionView(_ view: UICollectionView, dropSessionDidExit drop: any DropSession) {}
    /// Does nothing.
    public func collectionView(_ view: UICollectionView, dropSessionDidEnd drop: any DropSession) {}
}
