public import Foundation
public import PasteboardCompatibility

/// A controller whose view is a collection view, for which it is the data source.
@MainActor
open class UICollectionViewController: UIViewController, UICollectionViewDataSource, UICollectionViewDelegate {
    private let layout: UICollectionViewLayout

    /// Makes a controller.
    public init(collectionViewLayout layout: UICollectionViewLayout) {
        self.layout = layout
        super.init(nibName: nil, bundle: nil)
    }

    /// Makes a controller. Nothing is decoded.
    public required init?(coder: NSCoder) {
        layout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    /// The collection view, which is the controller's view.
    open var collectionView: UICollectionView! {
        get { view as? UICollectionView }
        set { view = newValue }
    }

    /// Makes the collection view.
    open override func loadView() {
        let collection = UICollectionView(frame: .zero, collectionViewLayout: layout)
        collection.dataSource = self
        collection.delegate = self
        view = collection
    }

    // The methods that subclasses override, with the results that a collection view has by default.

    /// Returns 1.
    open func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }
    /// Returns 0.
    open func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int) -> Int { 0 }
    /// Returns an empty cell.
    open func collectionView(_ view: UICollectionView, cellForItemAt path: IndexPath) -> UICollectionViewCell {
        UICollectionViewCell()
    }
    /// Returns true.
    open func collectionView(_ view: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
        view.unanswered()
    }
    /// Does nothing. The item is then dropped.
    open func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath) {
        view.unanswered()
    }
    /// Does nothing.
    open func collectionView(_ view: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
}
