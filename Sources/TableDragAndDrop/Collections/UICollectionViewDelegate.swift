/// A delegate of a collection view. It has no requirements: what it decides is the appearance, and a user's actions.
@MainActor
public protocol UICollectionViewDelegate: AnyObject {}
/// A delegate of a collection view with a flow layout.
public protocol UICollectionViewDelegateFlowLayout: UICollectionViewDelegate {}
