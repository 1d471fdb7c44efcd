import PasteboardTransport
package import PasteboardWire

extension Failure {
    /// The failure in the form that is sent to other processes: paths are shortened to their last component.
    ///
    /// Errors of the system, of Foundation and of this library are shortened where they are made, where their path is
    /// known. This filter is for text that a program has composed itself. It cannot recognize every path.
    package var withoutDirectories: Failure {
        let roots = PathFilter.rootsOfThisProcess
        return Failure(
            code,
            text.withoutDirectories(roots: roots),
            detail: detail?.withoutDirectories(roots: roots),
            source: source.map { source in
                var source = source
                source.domain = source.domain.withoutContextAddresses.withoutDirectories(roots: roots)
                source.message = source.message.withoutContextAddresses.withoutDirectories(roots: roots)
                return source
            }
        )
    }
}

extension String {
    /// Replaces each absolute path of the file system, and each URL of a file, by its last component.
    ///
    /// A path begins after a space, a quote, an opening bracket or one of `=:,;|>@`, after an option such as `-I`, or
    /// at the start of the text. Its first component is a top directory of the file system (`/home`, `/tmp` …), so the
    /// path of an HTTP request and a regular expression stay. Relative paths that begin with `../` are shortened, too.
    /// Other URLs are not changed.
    ///
    /// - Parameter roots: Absolute paths of this process, such as its home directory. Each is recognized after any
    ///   symbol, even if it contains spaces, and its first component counts as a top directory.
    package func withoutDirectories(roots: [String]) -> String {
        guard contains("/") else { return self }
        return PathFilter(scalars: Array(unicodeScalars), roots: roots).result
    }

    /// Removes the memory addresses that Swift puts into the names of private types:
    /// `Printer.(unknown context at $55d82927dc58).Jam` becomes `Printer.Jam`.
    package var withoutContextAddresses: String {
        let start = "(unknown context at $"
        guard contains(start) else { return self }
        var parts = split(separator: start, omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            guard let end = parts[index].firstIndex(of: ")") else { continue }
            let rest = parts[index][end...].dropFirst()
            parts[index] = String(rest.hasPrefix(".") ? rest.dropFirst() : rest)
        }
        return parts.joined()
    }
}

/// The search for paths in a text.
private struct PathFilter {
    private static let topDirectories: Set<String> = [
        "Users", "dev", "etc", "home", "media", "mnt", "nix", "opt", "proc", "root", "run", "snap", "srv",
        "sys", "tmp", "usr", "var",
    ]
    private static let openers = Set("\"'`“‘«([{=:,;|>@".unicodeScalars)
    private static let terminators = Set(":,;.!?)]}\"'`”’»".unicodeScalars)
    private static let quotes: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»",
    ]
    private static let mediaTypes: Set<String> = [
        "application", "audio", "font", "image", "message", "model", "multipart", "text", "video",
    ]

    static var rootsOfThisProcess: [String] {
        let current = (try? System.linkTarget("/proc/self/cwd"))?.text
        return [System.environment("HOME"), current, System.environment("TMPDIR")].compactMap(\.self)
            .filter { $0.hasPrefix("/") }
    }

    private let scalars: [Unicode.Scalar]
    /// The roots of two or more components. A root such as `/root` alone would match a closing tag.
    private let roots: [[Unicode.Scalar]]
    private let tops: Set<String>

    init(scalars: [Unicode.Scalar], roots: [String]) {
        let components = roots.map { $0.split(separator: "/").map(String.init) }
        self.scalars = scalars
        self.roots = components.filter { $0.count > 1 }.map { Array("/\($0.joined(separator: "/"))/".unicodeScalars) }
        tops = Self.topDirectories.union(components.compactMap(\.first))
    }

    var result: String {
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if let path = self.path(at: index) {
                result.append(contentsOf: scalars[lastComponent(of: path)])
                index = path.upperBound
            } else {
                // A URL other than that of a file is copied whole, because its query may contain text that looks like a
                // path.
                let end = schemeEnd(at: index).map { wordEnd(from: $0) } ?? index + 1
                result.append(contentsOf: scalars[index..<end])
                index = end
            }
        }
        return String(result)
    }

    /// The path or `file:` URL that begins at `index`, up to the end of its last word; nil if none begins there.
    private func path(at index: Int) -> Range<Int>? {
        guard let known = knownStart(at: index) else { return nil }
        // In quotes a path may contain spaces. A quote followed by a letter or digit, as in "it's", is part of it.
        if index > 0, let quote = Self.quotes[scalars[index - 1]] {
            let end = scalars.indices[known...].first { position in
                scalars[position] == quote
                    && (position + 1 == scalars.count || !scalars[position + 1].isOfName)
            }
            if let end { return index..<end }
        }
        return index..<endWithSpaces(ofPathAt: index, firstWordEnd: wordEnd(from: known))
    }

    /// The end of the part that makes the text at `index` a path: a root, a top directory, `../`, or a URL's host.
    private func knownStart(at index: Int) -> Int? {
        if let afterScheme = schemeEnd(at: index) {
            let scheme = String(String.UnicodeScalarView(scalars[index..<afterScheme])).lowercased()
            guard scheme.hasSuffix("file://") else { return nil }
            let end = wordEnd(from: afterScheme)
            return scalars[afterScheme..<end].firstIndex(of: "/")
        }
        guard scalars[index] == "/" || scalars[index] == "." else { return nil }
        let isAfterName = index > 0 && (scalars[index - 1].isOfName || scalars[index - 1] == "/")
        if !isAfterName || isStart(index) {
            let rest = scalars[index...]
            if let root = roots.first(where: { rest.starts(with: $0) }) { return index + root.count }
        }
        guard isStart(index) else { return nil }
        if scalars[index...].starts(with: "../".unicodeScalars) { return index + 3 }
        guard let start = scalars[index...].firstIndex(where: { $0 != "/" }), start > index,
            let end = scalars[start...].firstIndex(of: "/"), end + 1 < scalars.count,
            // A top directory alone reveals nothing about the source.
            end + 1 < wordEnd(from: start),
            tops.contains(String(String.UnicodeScalarView(scalars[start..<end])))
        else { return nil }
        return end
    }

    private func isStart(_ index: Int) -> Bool {
        if isOpened(index) { return true }
        guard index > 1, scalars[index - 1].isASCII, scalars[index - 1].properties.isAlphabetic else {
            return false
        }
        // An escaped newline or tab of a dump, or an option such as `-I`.
        switch scalars[index - 2] {
        case "\\": return "nrt".unicodeScalars.contains(scalars[index - 1])
        case "-": return isOpened(index - 2)
        default: return false
        }
    }

    private func isOpened(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        let previous = scalars[index - 1]
        return previous.properties.isWhitespace || Self.openers.contains(previous)
    }

    /// The index after the `://` of a URL that begins at `index`; nil if none begins there.
    private func schemeEnd(at index: Int) -> Int? {
        guard scalars[index].isOfScheme, isStart(index) || !scalars[index - 1].isOfScheme,
            index == 0 || scalars[index - 1] != "\\"
        else { return nil }
        guard let end = scalars[index...].firstIndex(where: { !$0.isOfScheme }),
            scalars[end...].starts(with: "://".unicodeScalars)
        else { return nil }
        return end + 3
    }

    /// The end of a word: a space, a double quote, an angle bracket or an escaped newline.
    private func wordEnd(from index: Int) -> Int {
        let end = scalars.indices[index...].first { position in
            let scalar = scalars[position]
            if scalar == "\\", position + 1 < scalars.count {
                return "nrt\"".unicodeScalars.contains(scalars[position + 1])
            }
            return scalar.properties.isWhitespace || "\"<>".unicodeScalars.contains(scalar)
        }
        return end ?? scalars.count
    }

    /// The end of a path that may contain spaces. A next word that contains a slash but begins no path belongs to it.
    ///
    /// Words before that one belong to the path, too, unless they begin with a lower-case letter, as most words of a
    /// sentence do. A file name with an extension, and punctuation, end a path.
    private func endWithSpaces(ofPathAt start: Int, firstWordEnd: Int) -> Int {
        var end = firstWordEnd
        var position = firstWordEnd
        while position + 1 < scalars.count, scalars[position] == " ",
            !Self.terminators.contains(scalars[position - 1]), !hasExtension(start..<position)
        {
            let word = (position + 1)..<wordEnd(from: position + 1)
            guard let first = scalars[word].first else { break }
            if scalars[word].contains("/") {
                guard continuesPath(word) else { break }
                end = word.upperBound
            } else if first.properties.isLowercase {
                break
            }
            position = word.upperBound
        }
        return end
    }

    private func continuesPath(_ word: Range<Int>) -> Bool {
        let first = scalars[word.lowerBound]
        guard first.isOfName || first == "(" || first == "[", let slash = scalars[word].firstIndex(of: "/"),
            scalars[word].contains(where: \.properties.isAlphabetic),
            scalars[slash - 1].isOfName || scalars[slash - 1] == ")" || scalars[slash - 1] == "]"
        else { return false }
        let name = String(String.UnicodeScalarView(scalars[word.lowerBound..<slash]))
        return !Self.mediaTypes.contains(name)
            && !word.contains { knownStart(at: $0) != nil || schemeEnd(at: $0) != nil }
    }

    private func hasExtension(_ path: Range<Int>) -> Bool {
        let name = scalars[lastComponent(of: path)]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        let ending = name[dot...].dropFirst()
        return (1...4).contains(ending.count) && ending.first?.properties.isAlphabetic == true
    }

    /// The last component of a path, with the punctuation that follows it.
    private func lastComponent(of path: Range<Int>) -> Range<Int> {
        // A slash or punctuation at the end is no part of the name: "cannot open /srv/data/: …".
        let nameEnd = scalars[path].lastIndex { !"/:,;.)]>".unicodeScalars.contains($0) } ?? path.lowerBound
        let slash = scalars[path.lowerBound..<nameEnd].lastIndex(of: "/")
        return (slash.map { $0 + 1 } ?? path.lowerBound)..<path.upperBound
    }
}

extension Unicode.Scalar {
    /// Whether a slash after it belongs to a relative path.
    fileprivate var isOfName: Bool {
        properties.isAlphabetic || properties.numericType != nil || ["_", "-", ".", "~", "%"].contains(self)
    }

    fileprivate var isOfScheme: Bool {
        isASCII && (properties.isAlphabetic || properties.numericType != nil || ["+", "-", "."].contains(self))
    }
}
