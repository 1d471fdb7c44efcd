/// A MIME type taken apart: type and subtype, and for text its charset.
struct MediaType {
    private let essence: String
    private let charset: String?

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

    var spellings: [String] {
        if let charset { [essence + ";charset=" + charset, essence] } else { [essence] }
    }

    private static func charset(_ parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1).map(trim)
        guard pair.count == 2, pair[0] == "charset" else { return nil }
        let name = pair[1].filter { $0 != "\"" }
        return switch name {
        case "utf8": "utf-8"
        case "utf16": "utf-16"
        default: name
        }
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
