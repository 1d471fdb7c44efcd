import PasteboardCompatibility

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

    func copy(to pasteboard: NSPasteboard) async throws {
        try await pasteboard.declareTypes([.html, .string], owner: self)
        try await pasteboard.setString(code, forType: .string)
        try await pasteboard.addTypes([Self.sourceType], owner: self)
    }

    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) async throws {
        switch type {
        case .html: try await sender.setString("<pre>\(code)</pre>", forType: type)
        case Self.sourceType: try await sender.setData(Data(code.utf8), forType: type)
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

    func bestText() async throws -> String? {
        guard let type = try await pasteboard.availableType(from: [SnippetCopier.sourceType, .html, .string]) else {
            return nil
        }
        return try await pasteboard.string(forType: type)
    }

    func links() async throws -> [URL] {
        guard try await pasteboard.canReadObject(forClasses: [NSURL.self], options: nil) else { return [] }
        return try await pasteboard.readObjects(forClasses: [NSURL.self], options: nil) as? [URL] ?? []
    }

    func append(_ notes: [String]) async throws -> Bool {
        try await pasteboard.clearContents()
        return try await pasteboard.writeObjects(notes.map { $0 as NSString })
    }
}
