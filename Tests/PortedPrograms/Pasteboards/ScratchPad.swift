import PasteboardBlocking

/// A text that is also on a pasteboard.
final class ScratchPad {
    let pasteboard: UIPasteboard

    init(pasteboard: UIPasteboard = .general) {
        self.pasteboard = pasteboard
    }

    var text: String {
        get { pasteboard.string ?? pasteboard.url?.absoluteString ?? "" }
        set { pasteboard.string = newValue.isEmpty ? nil : newValue }
    }

    var link: URL? {
        didSet {
            pasteboard.url = link
            pasteboard.addItems([["public.html": "<a href=\"\(link?.absoluteString ?? "")\">"]])
        }
    }

    var lines: [String] {
        get { pasteboard.strings ?? [] }
        set { pasteboard.strings = newValue }
    }

    /// Exchanges the first item for another one.
    func replaceFirst(with text: String) {
        var items = pasteboard.items
        items[0] = ["public.utf8-plain-text": text]
        pasteboard.items = items
    }

    func types(of type: String) -> [[String]] {
        pasteboard.types(forItemSet: pasteboard.itemSet(withPasteboardTypes: [type])) ?? []
    }
}
