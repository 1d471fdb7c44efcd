import PasteboardKit
import PlacesModel

struct PlacesTarget {
    let board: Pasteboard
    private(set) var list = PlaceList()

    init(board: Pasteboard) {
        self.board = board
    }

    mutating func load(_ selection: PlaceSelection) async throws {
        let offered = try await board.contents().items.filter { $0.itemProvider.canLoadObject(ofClass: Place.self) }
        Trace.line("target: offered \(offered.count) items")
        for item in offered {
            Trace.line(
                "target: item \(item.id): \(item.itemProvider.registeredTypeIdentifiers.joined(separator: ", "))"
            )
        }
        let wanted = selection.items(of: offered)
        guard !wanted.isEmpty else {
            throw PasteboardError(.nothingHere, message: "the pasteboard \(board.name.rawValue) has no such place")
        }
        for place in try await places(of: wanted) {
            list.append(place)
            Trace.line("target: appended \(place)")
        }
        Trace.line("target: has \(list.places.count) places")
    }

    /// Loads all items at the same time and returns the places in the order of the items.
    private func places(of items: [PasteboardItem]) async throws -> [Place] {
        let loads = items.map { item in
            Task { try await item.itemProvider.loadObject(ofClass: Place.self) }
        }
        var places: [Place] = []
        for load in loads { places.append(try await load.value) }
        return places
    }
}
