/// A view of a collection view that is made for a reuse identifier.
@MainActor
open class UICollectionReusableView: RowCell {}

/// The view of one item of a collection view.
@MainActor
open class UICollectionViewCell: UICollectionReusableView {}
