import PasteboardClient
import PasteboardWire

extension AskAnswer {
    /// Returns an answerer that calls the handlers of items.
    ///
    /// - Parameter items: calls its argument with the items, which must not be released meanwhile.
    static func answerer(
        _ items: @escaping @Sendable (([ProviderContents]) -> DataHandler?) -> DataHandler?
    ) -> Answerer {
        { ask, stream in
            let (item, index) = (Int(clamping: ask.item), Int(clamping: ask.representation))
            let handler = items { items in
                guard item < items.count, index < items[item].representations.count else { return nil }
                return items[item].representations[index].handler
            }
            return handler.map { AskAnswer(ask, on: stream, with: $0) }
        }
    }
}
