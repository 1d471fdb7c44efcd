/// Recognizes HTML and XML by the first lines of a text.
enum Markup {
    /// The types of XML documents that are recognized by their first element.
    static let types: [UniformType] = [.svg, .xmlPropertyList]

    /// The type of a document, from its declaration and its first element; nil for other text.
    static func type(of text: Span<UInt8>) -> UniformType? {
        guard opensWithTag(text) else { return nil }
        var scanner = Scanner(text: text.indices.map { text[$0] })
        scanner.skip("\u{FEFF}")
        scanner.skipSpace()
        let isXML = scanner.starts("<?xml ")
        while scanner.skipUpToEnd(of: "<?", "?>") || scanner.skipUpToEnd(of: "<!--", "-->") { scanner.skipSpace() }
        if scanner.starts("<!doctype html") { return isXML ? UniformType("public.xhtml") : .html }
        while scanner.skipUpToEnd(of: "<!doctype", ">") || scanner.skipUpToEnd(of: "<!--", "-->") {
            scanner.skipSpace()
        }
        switch scanner.elementName {
        case "html": return isXML ? UniformType("public.xhtml") : .html
        case "svg": return .svg
        case "plist" where isXML: return .xmlPropertyList
        case "rss" where isXML: return UniformType("public.rss")
        default: return isXML ? .xml : nil
        }
    }

    /// Whether the first character is a `<`. Most text is no markup, and this check needs no copy of it.
    private static func opensWithTag(_ text: Span<UInt8>) -> Bool {
        var place = BytePattern.matches("EF BB BF", text) ? 3 : 0
        while place < text.count, isSpace(text[place]) { place += 1 }
        return place < text.count && text[place] == UInt8(ascii: "<")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private struct Scanner {
        let text: [UInt8]
        var place = 0

        /// Whether the text continues with `prefix`, ignoring ASCII case.
        func starts(_ prefix: String) -> Bool {
            let prefix = prefix.utf8.span
            return text.count - place >= prefix.count
                && text.span.extracting(place..<place + prefix.count).equalsFolded(prefix)
        }

        mutating func skip(_ prefix: String) {
            if starts(prefix) { place += prefix.utf8.count }
        }

        mutating func skipSpace() {
            while place < text.count, isSpace(text[place]) { place += 1 }
        }

        /// If `opening` is here, continues after `closing`, or at the end if there is none. Returns whether `opening`
        /// was here.
        mutating func skipUpToEnd(of opening: String, _ closing: String) -> Bool {
            guard starts(opening) else { return false }
            while place < text.count, !starts(closing) { place += 1 }
            skip(closing)
            return true
        }

        /// The name of the element that begins here, in lower-case letters and without its prefix; nil if none begins
        /// here.
        var elementName: String? {
            guard place < text.count, text[place] == UInt8(ascii: "<") else { return nil }
            var name: [UInt8] = []
            var index = place + 1
            while index < text.count, name.count < 32, text[index].foldedASCII &- 0x61 < 26 || text[index] == 0x3A {
                name.append(text[index].foldedASCII)
                index += 1
            }
            return name.split(separator: 0x3A).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
