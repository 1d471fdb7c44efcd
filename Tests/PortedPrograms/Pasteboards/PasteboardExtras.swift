import PasteboardBlocking

/// Helpers as many programs have them, in places that cannot wait asynchronously.
extension NSPasteboard {
    var text: String? { string(forType: .string) }

    var fileURLs: [URL] {
        readObjects(forClasses: [NSURL.self], options: [.urlReadingFileURLsOnly: true]) as? [URL] ?? []
    }

    @discardableResult
    func copy(_ text: String, html: String? = nil) -> Bool {
        prepareForNewContents(with: .currentHostOnly)
        let item = NSPasteboardItem()
        item.setString(text, forType: .string)
        if let html { item.setString(html, forType: .html) }
        return writeObjects([item])
    }

    func itemTexts() -> [String] {
        pasteboardItems?.compactMap { $0.string(forType: .string) ?? $0.string(forType: .html) } ?? []
    }
}

/// Keeps the contents of a pasteboard while another part of the program uses it.
final class PasteboardGuard {
    private let pasteboard: NSPasteboard
    private let saved: [NSPasteboardItem]
    lazy var firstText: String? = saved.first?.string(forType: .string)

    init(_ pasteboard: NSPasteboard) {
        self.pasteboard = pasteboard
        saved = (pasteboard.pasteboardItems ?? []).map { item in
            let copy = NSPasteboardItem()
            for type in item.types {
                if let data = item.data(forType: type) { copy.setData(data, forType: type) }
            }
            return copy
        }
    }

    deinit {
        pasteboard.clearContents()
        pasteboard.writeObjects(saved)
    }
}
