import FoundationEssentials
public import PasteboardKit

/// Packages a row of `places` as an item with plain text only.
public struct PlacePackaging: Sendable {
    /// Is called when the name is loaded.
    private let asked: @Sendable (String) -> Void

    /// Makes a packaging.
    ///
    /// - Parameter asked: called at each load, on a thread of the library.
    public init(asked: @escaping @Sendable (String) -> Void = { _ in }) {
        self.asked = asked
    }

    /// The items for a row; none if the row does not exist.
    ///
    /// The name is the one at the beginning of the drag, even if the row changes later.
    public func items(forRow row: Int, of places: PlaceNames) -> [DragItem] {
        guard places.names.indices.contains(row) else { return [] }
        let name = places.names[row]
        let provider = ItemProvider()
        provider.suggestedName = name
        provider.registerDataRepresentation(for: .plainText) { [asked] in
            asked(name)
            return Data(name.utf8)
        }
        return [DragItem(itemProvider: provider)]
    }
}
