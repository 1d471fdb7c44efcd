package import PasteboardWire

extension Failure {
    /// The failure as another process may read it: of each absolute path only the last component.
    ///
    /// Where a source keeps its files is nobody else's business. The texts come from the system, from programs and from a
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
    /// A path begins with a slash that does not follow a name, and ends at a space, or in quotes at their end.
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
            // A directory's path may end with a slash, and a clause with its path.
            let nameEnd = scalars[first..<end].lastIndex { !"/:,;.)]>".unicodeScalars.contains($0) } ?? first
            let name = scalars[first..<nameEnd].lastIndex(of: "/").map { $0 + 1 } ?? first
            result.append(contentsOf: scalars[name..<end])
            index = end
        }
        return String(result)
    }

    /// The first slash of a path that begins at `index`, which may be that of `file:`.
    private static func slash(ofPathAt index: Int, in scalars: [Unicode.Scalar]) -> Int? {
        guard index == 0 || !scalars[index - 1].isOfName else { return nil }
        let scheme = "file:///".unicodeScalars
        if scalars[index...].starts(with: scheme) { return index + scheme.count - 1 }
        // After `https:` comes no path, and the second slash of `//` has been looked at with the first.
        guard scalars[index] == "/", index == 0 || scalars[index - 1] != "/" else { return nil }
        let isURL = index > 0 && scalars[index - 1] == ":" && scalars[index...].starts(with: "//".unicodeScalars)
        return isURL ? nil : index
    }

    private static func end(ofPathAt first: Int, in scalars: [Unicode.Scalar]) -> Int {
        let quotes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"]
        if first > 0, let quote = quotes[scalars[first - 1]] {
            // One in a name is no end.
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
