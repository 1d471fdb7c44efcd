package import PasteboardWire

extension Failure {
    /// The failure as another process may read it: each absolute path is shortened to its last component.
    ///
    /// A source does not reveal where it keeps its files. The texts come from the system, from other programs and from the
    /// program's own errors, so they are changed here, where they leave the process, and not where they are made.
    package var withoutDirectories: Failure {
        Failure(
            code,
            text.withoutDirectories,
            detail: detail?.withoutDirectories,
            source: source.map { source in
                var source = source
                source.message = source.message.withoutDirectories
                return source
            }
        )
    }
}

extension String {
    /// Replaces each absolute path, and each URL of a file, by its last component.
    ///
    /// A path begins with a slash that does not follow a name. It ends at a space, or, if it is quoted, at the closing
    /// quote.
    package var withoutDirectories: String {
        guard contains("/") else { return self }
        let scalars = Array(unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            guard let first = Self.slash(ofPathAt: index, in: scalars) else {
                result.append(scalars[index])
                index += 1
                continue
            }
            let end = Self.end(ofPathAt: first, in: scalars)
            // A slash or punctuation at the end is no part of the name: "cannot open /srv/data/: …".
            let nameEnd = scalars[first..<end].lastIndex { !"/:,;.)]>".unicodeScalars.contains($0) } ?? first
            let name = scalars[first..<nameEnd].lastIndex(of: "/").map { $0 + 1 } ?? first
            result.append(contentsOf: scalars[name..<end])
            index = end
        }
        return String(result)
    }

    /// The first slash of a path or `file:` URL that begins at `index`; nil if none begins there.
    private static func slash(ofPathAt index: Int, in scalars: [Unicode.Scalar]) -> Int? {
        guard index == 0 || !scalars[index - 1].isOfName else { return nil }
        let scheme = "file:///".unicodeScalars
        if scalars[index...].starts(with: scheme) { return index + scheme.count - 1 }
        // `//` after a colon, as in `https://`, begins no path. The second slash was examined with the first.
        guard scalars[index] == "/", index == 0 || scalars[index - 1] != "/" else { return nil }
        let isURL = index > 0 && scalars[index - 1] == ":" && scalars[index...].starts(with: "//".unicodeScalars)
        return isURL ? nil : index
    }

    private static func end(ofPathAt first: Int, in scalars: [Unicode.Scalar]) -> Int {
        let quotes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"]
        if first > 0, let quote = quotes[scalars[first - 1]] {
            // A quote followed by a letter or digit, as in "it's", is part of the name.
            let end = scalars.indices[first...].first { index in
                scalars[index] == quote && (index + 1 == scalars.count || !scalars[index + 1].isOfName)
            }
            if let end { return end }
        }
        return scalars[first...].firstIndex { $0.properties.isWhitespace } ?? scalars.count
    }
}

extension Unicode.Scalar {
    /// Whether a slash after it belongs to a relative path.
    fileprivate var isOfName: Bool {
        properties.isAlphabetic || properties.numericType != nil || ["_", "-", ".", "~", "%"].contains(self)
    }
}
