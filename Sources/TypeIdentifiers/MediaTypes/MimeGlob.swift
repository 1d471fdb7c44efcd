/// One line of `globs2` whose pattern is `*.` and an extension.
struct MimeGlob {
    let weight: Int
    let mimeType: String
    let filenameExtension: String

    /// Parses the fields of `weight:type:pattern` or `weight:type:pattern:flags`; nil for a malformed line, and for
    /// patterns that do not describe an extension (`Makefile`, `*~`). Of the flags only `cs` is known; others are
    /// ignored.
    init?(fields: [String]) {
        guard fields.count >= 3, let weight = Int(fields[0]), 0...100 ~= weight else { return nil }
        let name = fields[2].utf8.dropFirst(2)
        let isPlain = name.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"*?[]\\/".utf8.contains($0) }
        guard fields[2].utf8.starts(with: "*.".utf8), !name.isEmpty, isPlain else { return nil }
        self.weight = weight
        mimeType = fields[1].foldedASCII
        filenameExtension = String(Substring(name)).foldedASCII
        // Extensions of types ignore case, so a case-sensitive pattern in capitals cannot be represented.
        let isCaseSensitive = fields.count > 3 && fields[3].split(separator: ",").contains("cs")
        guard SharedMimeInfo.isMIMEType(mimeType), !isCaseSensitive || "*." + filenameExtension == fields[2] else {
            return nil
        }
    }

    /// Whether a line cancels the patterns for its type in directories of lower precedence.
    static func closesType(_ fields: [String]) -> Bool { fields.count > 2 && fields[2] == "__NOGLOBS__" }
}
