import PasteboardBlocking

extension NSPasteboard.PasteboardType {
    static let clip = NSPasteboard.PasteboardType("com.example.clip")
    static let concealed = NSPasteboard.PasteboardType("org.nspasteboard.ConcealedType")
}

struct Clip: Codable, Equatable {
    var text: String
    var date: Date
}

/// The part of a clipboard manager that reads and writes the general pasteboard.
@MainActor
final class ClipboardService {
    private let pasteboard: NSPasteboard
    private let drafts = NSPasteboard(name: NSPasteboard.Name("com.example.drafts"))
    private var lastChangeCount: Int
    private(set) var history: [Clip] = []

    init(pasteboard: NSPasteboard = .general) {
        self.pasteboard = pasteboard
        lastChangeCount = pasteboard.changeCount
    }

    var text: String? { pasteboard.string(forType: .string) }

    var isEmpty: Bool {
        let items = pasteboard.pasteboardItems ?? []
        return items.isEmpty
    }

    var isSecret: Bool {
        pasteboard.types?.contains(.concealed) ?? false
    }

    func poll() {
        guard pasteboard.changeCount != lastChangeCount else { return }
        lastChangeCount = pasteboard.changeCount
        guard !isSecret, let text = text else { return }
        history.insert(Clip(text: text, date: Date()), at: 0)
    }

    func copy(_ text: String) {
        pasteboard.clearContents()
        pasteboard.setString(text, forType: .string)
        lastChangeCount = pasteboard.changeCount
    }

    func copy(_ clip: Clip) throws {
        let data = try JSONEncoder().encode(clip)
        pasteboard.declareTypes([.clip, .string], owner: nil)
        pasteboard.setData(data, forType: .clip)
        pasteboard.setString(clip.text, forType: .string)
    }

    func copy(_ urls: [URL]) -> Bool {
        pasteboard.clearContents()
        return pasteboard.writeObjects(urls.map { $0 as NSURL })
    }

    func pasteClip() throws -> Clip? {
        guard let data = pasteboard.data(forType: .clip) else { return nil }
        return try JSONDecoder().decode(Clip.self, from: data)
    }

    func pasteRows() -> [[String]] {
        guard let text = pasteboard.string(forType: .tabularText) else { return [] }
        return text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
    }

    func pasteFiles() -> [URL] {
        let options: [NSPasteboard.ReadingOptionKey: Any] = [.urlReadingFileURLsOnly: true]
        return pasteboard.readObjects(forClasses: [NSURL.self], options: options) as? [URL] ?? []
    }

    func describe() -> String {
        guard let item = pasteboard.pasteboardItems?.first else { return "nothing" }
        return item.types.map { $0.rawValue }.joined(separator: ", ")
    }

    func canPaste() -> Bool {
        let types: [NSPasteboard.PasteboardType] = [.clip, .string]
        return pasteboard.availableType(from: types) != nil
            || pasteboard.canReadObject(forClasses: [NSURL.self])
    }

    func saveDraft(_ text: String) {
        drafts.clearContents()
        drafts.setString(text, forType: .string)
    }
}
