/// A delegate of a collection view. It has no requirements: what it decides is the appearance, and a user's actions.
@MainActor
public protocol UICollectionViewDelegate: AnyObject {}
/// A delegate of a collection view with a flow layout.
public protocol UICollectionViewDelegateFlowLayout: UICollectionViewDelegate {}

/// An object that prepares items before they are shown. It is not called, as there is no screen.
@MainActor
public protocol UICollectionViewDataSourcePrefetching: AnyObject {}
