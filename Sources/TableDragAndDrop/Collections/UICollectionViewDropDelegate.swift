public import FoundationEssentials
public import PasteboardKit

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
