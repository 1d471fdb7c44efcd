public import Foundation
import PasteboardCompatibility

/// A collection view, for programs that were written for UIKit. It behaves as a ``Table`` whose rows are called items.
@MainActor
open class UICollectionView: RowsView {
    /// The arrangement of the items, which makes no difference.
    open var collectionViewLayout: UICollectionViewLayout
    /// The speed at which items make way for a drag, which makes no difference.
    public var reorderingCadence = ReorderingCadence.immediate
    /// A speed at which items make way for a drag.
    public enum ReorderingCadence: Int, Sendable {
        /// The speeds that UIKit has.
        case immediate, fast, slow
    }

    /// A direction in which items follow each other.
    public enum ScrollDirection: Int, Sendable {
        /// The directions that UIKit has.
        case vertical, horizontal
    }

    /// The provider of the items. Setting another one reloads the view.
    public weak var dataSource: (any UICollectionViewDataSource)? {
        didSet { if dataSource !== oldValue { forgetRows() } }
    }
    /// The delegate. It is never called, because there is no screen.
    public weak var delegate: (any UICollectionViewDelegate)?
    /// The provider of items for drags. If nil, no drag begins here.
    public weak var dragDelegate: (any UICollectionViewDragDelegate)?
    /// The receiver of drops. If nil, the view accepts none.
    public weak var dropDelegate: (any UICollectionViewDropDelegate)?

    /// An object that prepares items before they are shown. It is not called.
    public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?

    /// Makes a view without items.
    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
    }

    /// Makes a view without items and with an empty frame.
    public required init?(coder: NSCoder) {
        collectionViewLayout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    /// The items of a section as a screen would show them, including placeholders.
    public func presentedItems(inSection section: Int) -> [PresentedRow<UICollectionViewCell>] {
        presented(inSection: section)
    }
}
