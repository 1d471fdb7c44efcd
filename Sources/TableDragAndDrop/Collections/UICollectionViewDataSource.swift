public import FoundationEssentials

/// The contents of a collection view, as ``TableDataSource`` has those of a table.
@MainActor
public protocol UICollectionViewDataSource: AnyObject {
    /// The number of sections; 1 by default.
    func numberOfSections(in view: UICollectionView) -> Int
    /// The number of items in a section.
    func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int) -> Int
    /// The cell of an item. Only `cellForItem(at:)` asks for it.
    func collectionView(_ view: UICollectionView, cellForItemAt path: IndexPath) -> UICollectionViewCell
    /// Whether dragging this item within its own view calls the next method instead of dropping it. By default it does
    /// if the data source has that method.
    func collectionView(_ view: UICollectionView, canMoveItemAt path: IndexPath) -> Bool
    /// An item was dragged to another index in its own view. Update the model; the view updates itself.
    func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath)
}

extension UICollectionViewDataSource {
    /// Returns 1.
    public func numberOfSections(in view: UICollectionView) -> Int { 1 }
    /// Returns true.
    public func collectionView(_ view: UICollectionView, canMoveItemAt path: IndexPath) -> Bool {
        view.unanswered()
    }
    /// Does nothing. The item is then dropped.
    public func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath) {
        view.unanswered()
    }
}
