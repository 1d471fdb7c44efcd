import PasteboardClient
import PasteboardWire

extension Question {
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
