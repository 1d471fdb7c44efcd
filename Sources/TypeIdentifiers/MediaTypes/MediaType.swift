/// A parsed MIME type: type and subtype, and for text its charset.
struct MediaType {
    /// Type and subtype in lower-case letters, without parameters.
    let essence: String
    /// The charset of text in lower-case letters; nil if there is none. Aliases of the charsets in the table's tags,
    /// and the one subset of UTF-8, are replaced by the names in the tags.
    let charset: String?
    /// The MIME type with its parameters as they were written; nil if it has none except a charset, and if they are not
    /// printable ASCII: lists show the spelling.
    let spelling: String?

    /// Parses a MIME type; nil unless `text` starts with two tokens that are separated by a slash.
    init?(_ text: String) {
        let parts = text.foldedASCII.split(separator: ";", omittingEmptySubsequences: false).map(Self.trim)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(Self.isName) else {
            return nil
        }
        essence = String(parts[0])
        let parameters = parts.dropFirst().filter { !$0.isEmpty }
        charset = names[0] == "text" ? parameters.compactMap(Self.charset).first : nil
        let start = text.firstIndex(of: ";") ?? text.endIndex
        let isShown = parameters.count > (charset == nil ? 0 : 1) && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        spelling = isShown ? essence + text[start...] : nil
    }

    /// The MIME type as a tag, with the charset if there is one.
    var tag: String { charset.map { "\(essence);charset=\($0)" } ?? essence }

    /// Whether the bytes cannot be read as UTF-8, because they have another charset.
    var hasForeignCharset: Bool { charset != nil && charset != "utf-8" }

    private static func charset(_ parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1).map(trim)
        guard pair.count == 2, pair[0] == "charset" else { return nil }
        let name = pair[1].filter { $0 != "\"" }
        switch name {
        case "utf8", "us-ascii", "ascii": return "utf-8"
        case "utf16": return "utf-16"
        case "latin1", "latin-1", "iso8859-1": return "iso-8859-1"
        case "mac", "x-mac-roman", "csmacintosh": return "macintosh"
        case "x-sjis": return "shift_jis"
        default: return isCharsetName(name) ? name : nil
        }
    }

    /// Whether the name has the characters of registered charset names. Others could be options for a converter.
    private static func isCharsetName(_ name: String) -> Bool {
        1...40 ~= name.utf8.count
            && name.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || "-._:+".utf8.contains($0) }
    }

    private static func trim(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }

    /// Whether the text is a token that starts with a letter, a digit or `_`. So `./x` is not a type.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first.isNumber || first == "_" else {
            return false
        }
        return text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"()<>@,;:\\\"/[]?=".utf8.contains($0) }
    }
}
