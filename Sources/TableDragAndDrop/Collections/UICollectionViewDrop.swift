/// The name of a placeholder in a collection view.
public typealias UICollectionViewDropPlaceholder = DropPlaceholder<UICollectionViewCell>
/// The name of ``TableDropPlaceholderContext`` for a collection view.
public typealias UICollectionViewDropPlaceholderContext = TableDropPlaceholderContext
/// The name of ``TableDropCoordinator`` for a collection view.
public typealias UICollectionViewDropCoordinator = TableDropCoordinator
/// The name of ``TableDropItem`` for a collection view.
public typealias UICollectionViewDropItem = TableDropItem
/// The name of ``TableDropProposal`` for a collection view.
public typealias UICollectionViewDropProposal = TableDropProposal
/// The name of the effect of a drop on the item at its place.
public typealias UICollectionViewDropIntent = TableDropProposal.Intent
