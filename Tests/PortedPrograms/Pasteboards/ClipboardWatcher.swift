import PasteboardBlocking

/// Polls the change count, as most clipboard managers do.
final class ClipboardWatcher {
    private let pasteboard: NSPasteboard
    private var changeCount: Int
    private var seen: Set<NSPasteboardItem> = []
    private(set) var texts: [String] = []

    init(pasteboard: NSPasteboard = .general) {
        self.pasteboard = pasteboard
        changeCount = pasteboard.changeCount
    }

    func poll() {
        guard pasteboard.changeCount != changeCount else { return }
        changeCount = pasteboard.changeCount
        guard let item = pasteboard.pasteboardItems?.first, seen.insert(item).inserted else { return }
        if let text = item.string(forType: .string) { texts.append(text) }
    }
}
