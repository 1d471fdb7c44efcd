import PasteboardCompatibility

/// A list of places whose rows can be dragged, in the way of a table view's drag and drop delegate.
struct PlacesModel {
    private(set) var placeNames = [
        "Yosemite",
        "Yellowstone",
        "Sequoia",
    ]

    /// The item provider of a row that is about to be dragged.
    func dragItemProvider(forRowAt row: Int) -> NSItemProvider {
        let placeName = placeNames[row]
        let data = placeName.data(using: .utf8)
        let itemProvider = NSItemProvider()

        itemProvider.registerDataRepresentation(
            forTypeIdentifier: kUTTypePlainText as String,
            visibility: .all
        ) { completion in
            completion(data, nil)
            return nil
        }
        itemProvider.suggestedName = placeName
        return itemProvider
    }

    /// Whether what is over the table can be dropped there.
    func canHandle(_ itemProviders: [NSItemProvider]) -> Bool {
        itemProviders.contains { $0.canLoadObject(ofClass: NSString.self) }
    }

    mutating func addItem(_ place: String, at index: Int) {
        placeNames.insert(place, at: index)
    }

    mutating func moveItem(at sourceIndex: Int, to destinationIndex: Int) {
        guard sourceIndex != destinationIndex else { return }
        let place = placeNames.remove(at: sourceIndex)
        placeNames.insert(place, at: destinationIndex)
    }
}

/// Shows the list, and takes what is dropped on it.
@MainActor
final class PlacesController {
    private(set) var model = PlacesModel()
    private var droppedPlaces: [Int: String] = [:]

    /// Loads the strings of a drop, and inserts them at a row when all are there.
    func performDrop(of itemProviders: [NSItemProvider], at row: Int, completion: @escaping @MainActor () -> Void) {
        for (offset, itemProvider) in itemProviders.enumerated() {
            itemProvider.loadObject(ofClass: NSString.self) { string, error in
                let place = string.map { $0 as String } ?? "nothing, since \(error.debugDescription)"
                DispatchQueue.main.async {
                    self.droppedPlaces[offset] = place
                    guard self.droppedPlaces.count == itemProviders.count else { return }
                    for (offset, place) in self.droppedPlaces.sorted(by: { $0.key < $1.key }) {
                        self.model.addItem(place, at: row + offset)
                    }
                    self.droppedPlaces = [:]
                    completion()
                }
            }
        }
    }
}
