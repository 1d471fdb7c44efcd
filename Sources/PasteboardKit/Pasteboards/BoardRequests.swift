import PasteboardClient
import PasteboardWire

extension Question {
    /// Makes one request of a list: its value is the operation after the answers, and the step that follows.
    static func request(of list: ListOperation) -> Question where Value == (ListOperation, ListOperation.Step?) {
        Question((list, nil)) { state throws(Failure) in
            try list.open(&state)
        } handle: { value, event in
            value.1 = value.0.handle(event)
            return value.1 != nil
        }
    }

    /// Clears a board.
    static func request(of clear: Clear) -> Question where Value == ChangeCount {
        Question(ChangeCount(value: nil, epoch: nil)) { state throws(Failure) in
            try state.open(clear)
        } handle: { changeCount, event in
            guard case .committed(_, let committed) = event else { return false }
            changeCount = ChangeCount(committed)
            return true
        }
    }
}
