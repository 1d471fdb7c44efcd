import PasteboardBlocking

/// Copies something to a pasteboard.
@MainActor
protocol Copier {
    func copy() throws
    func canCopy() -> Bool
}

/// The entries of an editor's menu, which depend on the pasteboard.
@MainActor
final class PasteMenu: Copier {
    enum Problem: Error { case nothing }

    let board: NSPasteboard
    var isEnabled = true
    private var seen: Int

    init(board: NSPasteboard) {
        self.board = board
        seen = board.changeCount
    }

    convenience init() {
        self.init(board: NSPasteboard(name: .find))
    }

    var hasChanged: Bool { board.changeCount != seen }

    var title: String {
        get {
            hasChanged ? "Paste new" : "Paste"
        }
    }

    var count: Int {
        guard let types = board.types else { return 0 }
        return types.count
    }

    subscript(type: NSPasteboard.PasteboardType) -> Data? {
        board.data(forType: type)
    }

    func copy() throws {
        guard isEnabled else { throw Problem.nothing }
        board.clearContents()
        board.setString("copied {", forType: .string)
        seen = board.changeCount
    }

    func canCopy() -> Bool {
        isEnabled || hasChanged
    }

    func canPaste(from other: NSPasteboard) -> Bool {
        if isEnabled && board.availableType(from: [.string, .URL]) != nil {
            return true
        }
        return isEnabled
            && (board.canReadObject(forClasses: [NSString.self], options: nil)
                || other.canReadObject(forClasses: [NSURL.self], options: nil))
    }

    func describe() -> String {
        if let types = board.types, types.contains(.tabularText) {
            return "rows, \(board.string(forType: .tabularText)?.count ?? 0) characters"
        }
        let isLink = board.types?.contains(.URL) ?? false
        return isLink || count == 0 ? "link" : board.types!.map(\.rawValue).joined(separator: " ")
    }

    func itemTexts() -> [String] {
        var texts: [String] = []
        for item in board.pasteboardItems ?? [] where item.types.contains(.string) {
            if let text = item.string(forType: .string) {
                texts.append(text)
            }
        }
        return texts
    }

    func copyOnce() -> Bool {
        (try? copy()) != nil && !canCopy()
    }
}
