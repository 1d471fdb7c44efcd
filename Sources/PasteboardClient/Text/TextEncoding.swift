package import TypeIdentifiers

/// The encoding of a text, and the length of the byte order mark before it.
package struct TextEncoding: Sendable {
    package static let utf8 = TextEncoding(name: "UTF-8", markLength: 0)

    private static let marks: [(bytes: [UInt8], name: String)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFE, 0xFF], "UTF-16BE"), ([0xFF, 0xFE], "UTF-16LE"),
    ]
    /// The number of first bytes that show whether there is a mark.
    static let longestMark = 3

    /// The name of the encoding for the C library's converter.
    package let name: String
    package let markLength: Int
}

extension TextEncoding {
    /// Determines the encoding of a text. If the type does not determine it, the byte order mark does; without a mark
    /// the text is UTF-8. For UTF-16, a mark overrides the byte order of the type. In text of a UTF-8 type a mark is
    /// not skipped: it is the first character.
    ///
    /// - Parameter head: the first bytes of the text.
    package init(of type: UniformType, _ head: Span<UInt8>) {
        let named = type.textEncodingName?.uppercased()
        let isWide = named?.hasPrefix("UTF-16") ?? false
        let marks = named == nil ? Self.marks : isWide ? Self.marks.filter { $0.name.hasPrefix("UTF-16") } : []
        if let mark = marks.first(where: { head.starts(with: $0.bytes) }) {
            self.init(name: mark.name, markLength: mark.bytes.count)
        } else {
            // For "UTF-16" the converter would take the first character for a mark. Text without a mark has this
            // machine's byte order.
            let native = 1.littleEndian == 1 ? "UTF-16LE" : "UTF-16BE"
            self.init(name: named == "UTF-16" ? native : named ?? "UTF-8", markLength: 0)
        }
    }
}

extension Span<UInt8> {
    fileprivate func starts(with prefix: [UInt8]) -> Bool {
        count >= prefix.count && prefix.indices.allSatisfy { self[$0] == prefix[$0] }
    }
}
