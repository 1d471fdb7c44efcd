import PasteboardCompatibility

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

    init(pasteboard: NSPasteboard = .general) async throws {
        self.pasteboard = pasteboard
        lastChangeCount = try await pasteboard.changeCount
    }

    var text: String? { get async throws { try await pasteboard.string(forType: .string) } }

    var isEmpty: Bool {
        get async throws {
            let items = try await pasteboard.pasteboardItems ?? []
            return items.isEmpty
        }
    }

    var isSecret: Bool {
        get async throws {
            try await pasteboard.types?.contains(.concealed) ?? false
        }
    }

    func poll() async throws {
        guard try await pasteboard.changeCount != lastChangeCount else { return }
        lastChangeCount = try await pasteboard.changeCount
        guard try await !isSecret, let text = try await text else { return }
        history.insert(Clip(text: text, date: Date()), at: 0)
    }

    func copy(_ text: String) async throws {
        try await pasteboard.clearContents()
        try await pasteboard.setString(text, forType: .string)
        lastChangeCount = try await pasteboard.changeCount
    }

    func copy(_ clip: Clip) async throws {
        let data = try JSONEncoder().encode(clip)
        try await pasteboard.declareTypes([.clip, .string], owner: nil)
        try await pasteboard.setData(data, forType: .clip)
        try await pasteboard.setString(clip.text, forType: .string)
    }

    func copy(_ urls: [URL]) async throws -> Bool {
        try await pasteboard.clearContents()
        return try await pasteboard.writeObjects(urls.map { $0 as NSURL })
    }

    func pasteClip() async throws -> Clip? {
        guard let data = try await pasteboard.data(forType: .clip) else { return nil }
        return try JSONDecoder().decode(Clip.self, from: data)
    }

    func pasteRows() async throws -> [[String]] {
        guard let text = try await pasteboard.string(forType: .tabularText) else { return [] }
        return text.split(separator: "\n").map { $0.components(separatedBy: "\t") }
    }

    func pasteFiles() async throws -> [URL] {
        let options: [NSPasteboard.ReadingOptionKey: Any] = [.urlReadingFileURLsOnly: true]
        return try await pasteboard.readObjects(forClasses: [NSURL.self], options: options) as? [URL] ?? []
    }

    func describe() async throws -> String {
        guard let item = try await pasteboard.pasteboardItems?.first else { return "nothing" }
        return item.types.map { $0.rawValue }.joined(separator: ", ")
    }

    func canPaste() async throws -> Bool {
        let types: [NSPasteboard.PasteboardType] = [.clip, .string]
        return try await pasteboard.availableType(from: types) != nil
            ? true : pasteboard.canReadObject(forClasses: [NSURL.self])
    }

    func saveDraft(_ text: String) async throws {
        try await drafts.clearContents()
        try await drafts.setString(text, forType: .string)
    }
}
