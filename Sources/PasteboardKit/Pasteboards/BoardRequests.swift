import PasteboardClient
import PasteboardWire

/// The contents of a board, as listed by the broker.
struct BoardListing: Sendable {
    var contents = Contents()
    var items: [Item] = []
}

extension SimpleRequest {
    /// Lists a board.
    static func list() -> SimpleRequest where Value == BoardListing {
        SimpleRequest(BoardListing()) { listing, event in
            switch event {
            case .contents(_, let contents): listing.contents = contents
            case .item(_, let item): listing.items.append(item)
            case .ended: return true
            default: break
            }
            return false
        }
    }

    /// Clears a board.
    static func clear() -> SimpleRequest where Value == ChangeCount {
        SimpleRequest(ChangeCount(value: nil, epoch: nil)) { changeCount, event in
            guard case .committed(_, let committed) = event else { return false }
            changeCount = ChangeCount(committed)
            return true
        }
    }
}
