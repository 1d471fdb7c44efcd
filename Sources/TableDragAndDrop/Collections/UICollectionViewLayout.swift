public import Foundation
import PasteboardCompatibility

/// An arrangement of items. It has no effect, as there is no screen.
@MainActor
open class UICollectionViewLayout {
    /// Makes a layout.
    public init() {}
}

/// A layout in lines. It has no effect, as there is no screen.
@MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {
    /// The sizes and distances of items, which make no difference.
    open var itemSize = CGSize(), headerReferenceSize = CGSize(), sectionInset = UIEdgeInsets.zero,
        minimumLineSpacing = 0.0, minimumInteritemSpacing = 0.0
    /// The direction of the lines, which makes no difference.
    open var scrollDirection = UICollectionView.ScrollDirection.vertical
}
