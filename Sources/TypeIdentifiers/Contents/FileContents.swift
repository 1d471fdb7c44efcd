/// The form of a file's contents, as determined from its first bytes.
enum FileContents {
    case empty
    /// UTF-8 without NUL, with the type that the text itself indicates, if any.
    case text(UniformType?)
    case utf16
    case signed(FileSignature)
    /// Anything else.
    case bytes

    /// - Parameters:
    ///   - head: the first bytes.
    ///   - isWhole: whether `head` contains all bytes.
    init(_ head: Span<UInt8>, isWhole: Bool) {
        if head.isEmpty {
            self = .empty
        } else if let signature = FileSignature.matching(head),
            signature.isText || !UTF8Scan.isText(head, isWhole: isWhole)
        {
            self = .signed(signature)
        } else if Self.hasMarkOfUTF16(head) {
            self = .utf16
        } else if UTF8Scan.isText(head, isWhole: isWhole) {
            self = .text(Markup.type(of: head) ?? Interpreter.scriptType(of: head))
        } else {
            self = .bytes
        }
    }

    /// The type of the contents, independent of the name.
    var type: UniformType {
        switch self {
        case .empty: .utf8PlainText
        case .text(let type): type ?? .utf8PlainText
        case .utf16: .utf16PlainText
        case .signed(let signature): UniformType(known: signature.type)
        case .bytes: .data
        }
    }

    /// Whether the bytes start with a byte order mark of UTF-16; `FF FE 00 00` is the mark of UTF-32.
    private static func hasMarkOfUTF16(_ head: Span<UInt8>) -> Bool {
        BytePattern.matches("FE FF", head)
            || BytePattern.matches("FF FE", head) && !BytePattern.matches("FF FE 00 00", head)
    }
}
