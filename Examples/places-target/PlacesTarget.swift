import PasteboardKit
import PlacesModel

struct PlacesTarget {
    let board: Pasteboard
    private(set) var places: [Place] = []

    init(board: Pasteboard) {
        self.board = board
    }

    /// Appends the place at an index, or all places.
    mutating func load(_ index: Int?) async throws {
        let offered = try await board.contents().items.filter { $0.itemProvider.canLoad(Place.self) }
        print("target: offered \(offered.count) items")
        for item in offered {
            let types = item.itemProvider.registeredContentTypes.map(\.identifier).joined(separator: ", ")
            print("target: item \(item.id): \(types)")
        }
        let wanted = index.map { index in offered.filter { $0.id == index } } ?? offered
        guard !wanted.isEmpty else {
            throw PasteboardError(.nothingHere, message: "the pasteboard \(board.name.rawValue) has no such place")
        }
        // All items are loaded at the same time. Their order stays the same.
        let loads = wanted.map { item in
            Task { try await item.itemProvider.load(Place.self) }
        }
        var loaded: [Place] = []
        for load in loads { loaded.append(try await load.value) }
        places += loaded
        for place in loaded { print("target: appended \(place)") }
        print("target: has \(places.count) places")
    }
}
