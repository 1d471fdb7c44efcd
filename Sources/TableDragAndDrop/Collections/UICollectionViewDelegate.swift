public import FoundationEssentials

/// A delegate of a collection view. Only the move of an item within the view is asked for.
@MainActor
public protocol UICollectionViewDelegate: AnyObject {
    /// Returns the path to which an item is moved within the view, instead of the proposed one.
    func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveFromItemAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath
}

extension UICollectionViewDelegate {
    /// Returns the proposed path.
    public func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveFromItemAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { proposed }
}

/// A delegate of a collection view with a flow layout.
public protocol UICollectionViewDelegateFlowLayout: UICollectionViewDelegate {}

/// An object that prepares items before they are shown. It is not called, as there is no screen.
@MainActor
public protocol UICollectionViewDataSourcePrefetching: AnyObject {}
