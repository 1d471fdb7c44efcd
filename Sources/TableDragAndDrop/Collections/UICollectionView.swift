public import Foundation
public import PasteboardCompatibility

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

    /// The provider of the items. Setting another one reloads the view.
    public weak var dataSource: (any UICollectionViewDataSource)? {
        didSet { if dataSource !== oldValue { forgetRows() } }
    }
    /// An object of the program, which a view without a screen asks nothing.
    public weak var delegate: (any UICollectionViewDelegate)?
    /// The provider of items for drags. If nil, no drag begins here.
    public weak var dragDelegate: (any UICollectionViewDragDelegate)?
    /// The receiver of drops. If nil, the view accepts none.
    public weak var dropDelegate: (any UICollectionViewDropDelegate)?

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

// The names of collection views for the calls about rows.
extension UICollectionView {
    /// The number of items of the data source in a section; 0 if the section does not exist.
    public func numberOfItems(inSection section: Int) -> Int { numberOfRows(inSection: section) }
    /// Reports inserted items, by their paths after the insertion.
    public func insertItems(at indexPaths: [IndexPath]) { insertRows(at: indexPaths) }
    /// Reports deleted items, by their paths before the deletion.
    public func deleteItems(at indexPaths: [IndexPath]) { deleteRows(at: indexPaths) }
    /// Reports items whose contents were replaced. They are deselected.
    public func reloadItems(at indexPaths: [IndexPath]) { reloadRows(at: indexPaths) }
    /// Reports a moved item.
    public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        moveRow(at: indexPath, to: newIndexPath)
    }
    /// The selected items in ascending order; nil if there are none.
    public var indexPathsForSelectedItems: [IndexPath]? { indexPathsForSelectedRows }
    /// Selects an item, as ``RowsView/selectRow(at:animated:scrollPosition:)`` does.
    public func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        selectRow(at: indexPath)
    }
    /// Deselects one item.
    public func deselectItem(at indexPath: IndexPath, animated: Bool) { deselectRow(at: indexPath) }
    /// Asks the data source for the cell of an item; returns nil if there is no such item.
    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? {
        indexPath.isRow(of: counts) ? dataSource?.collectionView(self, cellForItemAt: indexPath) : nil
    }
    /// Sets the class of the cells that are made for an identifier; nil for an ordinary cell.
    public func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
        cellClasses[identifier] = cellClass
    }
    /// Sets the class of the views that are made for an identifier; nil for an ordinary view.
    public func register(
        _ viewClass: AnyClass?,
        forSupplementaryViewOfKind kind: String,
        withReuseIdentifier identifier: String
    ) { cellClasses[identifier] = viewClass }
    /// Makes a view of the registered class, or an ordinary view.
    public func dequeueReusableSupplementaryView(
        ofKind kind: String,
        withReuseIdentifier identifier: String,
        for indexPath: IndexPath
    ) -> UICollectionReusableView { makeCell(identifier) }
    /// Makes a cell of the registered class, or an ordinary cell.
    public func dequeueReusableCell(
        withReuseIdentifier identifier: String,
        for indexPath: IndexPath
    ) -> UICollectionViewCell { makeCell(identifier) }
}

/// A view of a collection view that is made for a reuse identifier.
@MainActor
open class UICollectionReusableView: RowCell {}

/// The view of one item of a collection view.
@MainActor
open class UICollectionViewCell: UICollectionReusableView {}

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
}

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
