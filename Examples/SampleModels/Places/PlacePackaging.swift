import FoundationEssentials
public import PasteboardKit

/// How a row of `places` becomes an item: as plain text, and nothing else.
public struct PlacePackaging: Sendable {
    /// Hears that somebody asks for the name.
    private let asked: @Sendable (String) -> Void

    /// Makes a packaging.
    ///
    /// - Parameter asked: called at each load, on a thread of the library.
    public init(asked: @escaping @Sendable (String) -> Void = { _ in }) {
        self.asked = asked
    }

    /// The items for a row; none if there is no such row.
    ///
    /// The name is that of the moment at which the drag begins, whatever becomes of the row.
    public func items(forRow row: Int, of places: PlaceNames) -> [DragItem] {
        guard places.has(row: row) else { return [] }
        let name = places.names[row]
        let provider = ItemProvider()
        provider.suggestedName = name
        provider.registerDataRepresentation(for: .plainText) { [asked] completion in
            asked(name)
            completion(Data(name.utf8), nil)
            return nil
        }
        return [DragItem(itemProvider: provider)]
    }
}
