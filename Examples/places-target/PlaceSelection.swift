import PasteboardKit

/// The items that the user wants: the one at an index, or all.
enum PlaceSelection {
    case all
    case one(Int)

    init?(_ argument: String?) {
        guard let argument else {
            self = .all
            return
        }
        guard let index = Int(argument), index >= 0 else { return nil }
        self = .one(index)
    }

    func items(of items: [PasteboardItem]) -> [PasteboardItem] {
        switch self {
        case .all: items
        case .one(let index): items.filter { $0.id == index }
        }
    }
}
