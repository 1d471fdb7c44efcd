import PasteboardBlocking

/// Copies a snippet of code: plain text at once, and richer forms when somebody asks for them.
final class SnippetCopier: NSObject, NSPasteboardTypeOwner, Sendable {
    static let sourceType = NSPasteboard.PasteboardType("com.example.snippet.source")

    let code: String
    let lostOwnership: @Sendable () -> Void

    init(code: String, lostOwnership: @escaping @Sendable () -> Void = {}) {
        self.code = code
        self.lostOwnership = lostOwnership
        super.init()
    }

    func copy(to pasteboard: NSPasteboard) {
        pasteboard.declareTypes([.html, .string], owner: self)
        pasteboard.setString(code, forType: .string)
        pasteboard.addTypes([Self.sourceType], owner: self)
    }

    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
        switch type {
        case .html: sender.setString("<pre>\(code)</pre>", forType: type)
        case Self.sourceType: sender.setData(Data(code.utf8), forType: type)
        default: break
        }
    }

    func pasteboardChangedOwner(_ sender: NSPasteboard) {
        lostOwnership()
    }
}

/// Reads what others have copied.
struct SnippetReader {
    let pasteboard: NSPasteboard

    func bestText() -> String? {
        guard let type = pasteboard.availableType(from: [SnippetCopier.sourceType, .html, .string]) else {
            return nil
        }
        return pasteboard.string(forType: type)
    }

    func links() -> [URL] {
        guard pasteboard.canReadObject(forClasses: [NSURL.self], options: nil) else { return [] }
        return pasteboard.readObjects(forClasses: [NSURL.self], options: nil) as? [URL] ?? []
    }

    func append(_ notes: [String]) -> Bool {
        pasteboard.clearContents()
        return pasteboard.writeObjects(notes.map { $0 as NSString })
    }
}
