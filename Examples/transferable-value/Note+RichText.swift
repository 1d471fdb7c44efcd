import PasteboardCompatibility

extension Note {
    /// The note in Rich Text Format.
    var richText: Data {
        Data("{\\rtf1\\ansi{\\b \(title.richText)}\\par \(text.richText)\\par}".utf8)
    }
}

extension String {
    fileprivate var richText: String {
        utf16.map { unit in
            switch Unicode.Scalar(unit) {
            case let scalar? where "\\{}".unicodeScalars.contains(scalar): "\\\(scalar)"
            case let scalar? where (" "..."~").contains(scalar): "\(scalar)"
            default: "\\u\(Int16(bitPattern: unit))?"
            }
        }.joined()
    }
}
