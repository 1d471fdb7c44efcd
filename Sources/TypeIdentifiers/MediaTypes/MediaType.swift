/// A MIME type taken apart: type and subtype, and for text its charset.
struct MediaType {
    /// Type and subtype in small letters, without parameters.
    let essence: String
    /// The charset of text, in small letters; nil if none is given. The names that are only other spellings of the
    /// tags of the table, and the one subset of UTF-8, are replaced by those.
    let charset: String?

    /// nil unless `text` starts with two tokens and a slash between them.
    init?(_ text: String) {
        let parts = text.foldedASCII.split(separator: ";", omittingEmptySubsequences: false).map(Self.trim)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(Self.isName) else {
            return nil
        }
        essence = String(parts[0])
        charset = names[0] == "text" ? parts.dropFirst().compactMap(Self.charset).first : nil
    }

    /// With the charset if there is one.
    var tag: String { charset.map { "\(essence);charset=\($0)" } ?? essence }

    /// Whether the bytes cannot be read without knowing the charset: whoever assumes UTF-8 would be wrong.
    var hasForeignCharset: Bool { charset != nil && charset != "utf-8" }

    private static func charset(_ parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1).map(trim)
        guard pair.count == 2, pair[0] == "charset" else { return nil }
        let name = pair[1].filter { $0 != "\"" }
        switch name {
        case "utf8", "us-ascii", "ascii": return "utf-8"
        case "utf16": return "utf-16"
        case "latin1", "latin-1", "iso8859-1": return "iso-8859-1"
        default: return isCharsetName(name) ? name : nil
        }
    }

    /// As in the registry of charsets, and nothing that a converter would take for an option of its own.
    private static func isCharsetName(_ name: String) -> Bool {
        1...40 ~= name.utf8.count
            && name.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || "-._:+".utf8.contains($0) }
    }

    private static func trim(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }

    /// A token that starts with a letter or digit, which tells `./x` from a type.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first.isNumber else { return false }
        return text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"()<>@,;:\\\"/[]?=".utf8.contains($0) }
    }
}
