import PasteboardClient
import PasteboardWire

extension SimpleRequest {
    /// Makes one request of a list: its value is the operation after the answers, and the step that follows.
    static func request(of list: ListOperation) -> SimpleRequest where Value == (ListOperation, ListOperation.Step?) {
        SimpleRequest((list, nil)) { value, event in
            value.1 = value.0.take(event)
            return value.1 != nil
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
