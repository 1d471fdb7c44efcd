import PasteboardCompatibility

/// Copies something to a pasteboard.
@MainActor
protocol Copier {
    func copy() async throws
    func canCopy() async throws -> Bool
}

/// The entries of an editor's menu, which depend on the pasteboard.
@MainActor
final class PasteMenu: Copier {
    enum Problem: Error { case nothing }

    let board: NSPasteboard
    var isEnabled = true
    private var seen: Int

    init(board: NSPasteboard) async throws {
        self.board = board
        seen = try await board.changeCount
    }

    convenience init() async throws {
        try await self.init(board: NSPasteboard(name: .find))
    }

    var hasChanged: Bool { get async throws { try await board.changeCount != seen } }

    var title: String {
        get async throws {
            try await hasChanged ? "Paste new" : "Paste"
        }
    }

    var count: Int {
        get async throws {
            guard let types = try await board.types else { return 0 }
            return types.count
        }
    }

    subscript(type: NSPasteboard.PasteboardType) -> Data? {
        get async throws {
            try await board.data(forType: type)
        }
    }

    func copy() async throws {
        guard isEnabled else { throw Problem.nothing }
        try await board.clearContents()
        try await board.setString("copied {", forType: .string)
        seen = try await board.changeCount
    }

    func canCopy() async throws -> Bool {
        try await isEnabled ? true : hasChanged
    }

    func canPaste(from other: NSPasteboard) async throws -> Bool {
        if isEnabled, try await board.availableType(from: [.string, .URL]) != nil {
            return true
        }
        return isEnabled
            ? (try await board.canReadObject(forClasses: [NSString.self], options: nil)
                ? true : other.canReadObject(forClasses: [NSURL.self], options: nil))
            : false
    }

    func describe() async throws -> String {
        if let types = try await board.types, types.contains(.tabularText) {
            return "rows, \(try await board.string(forType: .tabularText)?.count ?? 0) characters"
        }
        let isLink = try await board.types?.contains(.URL) ?? false
        return try await (isLink ? true : count == 0) ? "link" : board.types!.map(\.rawValue).joined(separator: " ")
    }

    func itemTexts() async throws -> [String] {
        var texts: [String] = []
        for item in try await board.pasteboardItems ?? [] where item.types.contains(.string) {
            if let text = try await item.string(forType: .string) {
                texts.append(text)
            }
        }
        return texts
    }

    func copyOnce() async throws -> Bool {
        try await (try? copy()) != nil ? !canCopy() : false
    }
}
