/// The contents of the system's shared-mime-info database about MIME types and extensions. These are plain values;
/// another module reads the files.
///
/// The database adds to the table and to the program's declarations, and never changes them. A type that only the
/// database knows stays a dynamic type with the same identifier as without the database, so that processes with
/// different databases agree on it. The supertypes and tags from the database are stored in the value, and a publisher
/// sends them.
package struct SharedMimeInfo: Sendable {
    /// The unchanged files of one directory of the database; empty for missing files.
    package struct Files: Sendable {
        package var types: [UInt8] = []
        package var aliases: [UInt8] = []
        package var subclasses: [UInt8] = []
        package var globs: [UInt8] = []

        package init() {}

        package var isEmpty: Bool { types.isEmpty && aliases.isEmpty && subclasses.isEmpty && globs.isEmpty }
    }

    /// The MIME type that the database has for a dynamic type.
    struct Match {
        let mimeType: String
        let supertypes: [String]
    }

    private static let tagLimit = 4

    private let types: [MimeLines]
    private let aliases: [MimeLines]
    private let subclasses: [MimeLines]
    private let globs: [MimeLines]

    /// - Parameter directories: the directories, the one with the highest precedence first. Lines that violate the
    ///   specification are ignored.
    package init(_ directories: [Files]) {
        types = directories.map { MimeLines(bytes: $0.types, separator: UInt8(ascii: " ")) }
        aliases = directories.map { MimeLines(bytes: $0.aliases, separator: UInt8(ascii: " ")) }
        subclasses = directories.map { MimeLines(bytes: $0.subclasses, separator: UInt8(ascii: " ")) }
        globs = directories.map { MimeLines(bytes: $0.globs, separator: UInt8(ascii: ":")) }
    }

    /// The other names of a MIME type: its canonical name and its aliases, in lower-case letters.
    func otherNames(of mimeType: String) -> [String] {
        let canonical = canonicalName(of: mimeType)
        let others = aliases.flatMap { Self.pairs(in: $0, with: canonical, at: 1).map(\.0) }
        return ([canonical] + others).filter { $0 != mimeType.foldedASCII }
    }

    /// The extensions of a MIME type, best first: those in the table, else those in the database by weight, short ones
    /// first (`php`, then `phps`).
    func filenameExtensions(of mimeType: String) -> [String] {
        if let declared = declaredType(of: mimeType) {
            return UniformType(known: declared).tags[.filenameExtension] ?? []
        }
        return globs(with: canonicalName(of: mimeType), at: 1)
            .sorted { left, right in
                (-left.weight, left.filenameExtension.utf8.count, left.filenameExtension)
                    < (-right.weight, right.filenameExtension.utf8.count, right.filenameExtension)
            }
            .map(\.filenameExtension)
    }

    /// The match of a dynamic type's tags in the database: the best MIME type that conforms to all supertypes in the
    /// identifier. So a dynamic type of folders does not match a text file with the same extension.
    func match(for type: DynamicType) -> Match? {
        // An identifier from an untrusted peer may have a hundred tags, and each requires a search through the files.
        let (mimeTypes, extensions) = (type.tags[.mimeType, default: []], type.tags[.filenameExtension, default: []])
        let named = mimeTypes.prefix(Self.tagLimit).compactMap { MediaType($0).map { canonicalName(of: $0.essence) } }
        let byExtension = extensions.prefix(Self.tagLimit).flatMap { tag in
            globs(with: "*." + tag, at: 2)
                .sorted { (-$0.weight, $0.mimeType) < (-$1.weight, $1.mimeType) }
                .map { canonicalName(of: $0.mimeType) }
        }
        for name in named.filter(isKnown) + byExtension {
            let found = supertypes(of: name)
            let fits = type.supertypes.allSatisfy { wanted in found.contains { Self.conforms($0, to: wanted) } }
            if fits { return Match(mimeType: name, supertypes: found) }
        }
        return nil
    }

    /// The direct supertypes of a MIME type. They are found in `subclasses`, as types of the table and as dynamic types
    /// on the way to them, and by the family of the first part, because the database's specification makes all text
    /// plain text. Supertypes that follow from others are left out.
    private func supertypes(of mimeType: String) -> [String] {
        var found: Set<String> = []
        var (seen, pending): (Set<String>, [String]) = ([], [mimeType])
        while let name = pending.popLast() {
            guard seen.insert(name).inserted else { continue }
            if let declared = declaredType(of: name) {
                found.insert(declared)
                continue
            }
            if name != mimeType, let identifier = Self.identifier(of: name) { found.insert(identifier) }
            if let family = Self.family(of: name) { found.insert(family) }
            pending += subclasses.flatMap { Self.pairs(in: $0, with: name, at: 0).map(\.1) }.map(canonicalName)
        }
        if Self.isData(mimeType) { found.insert("public.data") }
        return found.sorted().filter { name in !found.contains { $0 != name && Self.conforms($0, to: name) } }
    }

    /// The identifier that a lookup of the MIME type without a particular supertype returns.
    private static func identifier(of mimeType: String) -> String? {
        guard isData(mimeType) else { return nil }
        return DynamicType.identifier(tag: mimeType, tagClass: .mimeType, supertypes: ["public.data"])
    }

    /// Whether a MIME type describes bytes. All do, except those for objects of the file system.
    private static func isData(_ mimeType: String) -> Bool { !mimeType.hasFoldedPrefix("inode/") }

    /// The type of the table that has the MIME type or one of its other names.
    private func declaredType(of mimeType: String) -> String? {
        for name in [mimeType] + otherNames(of: mimeType) {
            var claimants = ConformanceTable.claimants(of: name, .mimeType)
            if let best = claimants.next() { return best }
        }
        return nil
    }

    private static func family(of mimeType: String) -> String? {
        switch mimeType.split(separator: "/").first {
        case "text": "public.plain-text"
        case "image": "public.image"
        case "audio": "public.audio"
        case "video": "public.movie"
        case "font": "public.font"
        case "model": "public.3d-content"
        default: nil
        }
    }

    /// The canonical name of an alias, from the first directory that contains the alias; other names are returned in
    /// lower-case letters.
    private func canonicalName(of mimeType: String) -> String {
        for lines in aliases {
            if let pair = Self.pairs(in: lines, with: mimeType, at: 0).first { return pair.1 }
        }
        return mimeType.foldedASCII
    }

    /// Whether the database describes a type. It describes all text, even text types that are not listed.
    private func isKnown(_ mimeType: String) -> Bool {
        mimeType.hasFoldedPrefix("text/")
            || types.contains { !$0.lines(with: mimeType, at: 0).isEmpty }
            || subclasses.contains { !Self.pairs(in: $0, with: mimeType, at: 0).isEmpty }
            || aliases.contains { !Self.pairs(in: $0, with: mimeType, at: 1).isEmpty }
            || !globs(with: mimeType, at: 1).isEmpty
    }

    /// The lines with two MIME types, in lower-case letters, in which the field `column` is `key`.
    private static func pairs(in lines: MimeLines, with key: String, at column: Int) -> [(String, String)] {
        lines.lines(with: key, at: column).compactMap { names in
            let folded = names.map(\.foldedASCII)
            return folded.count == 2 && folded.allSatisfy(isMIMEType) ? (folded[0], folded[1]) : nil
        }
    }

    /// The patterns of all directories that describe an extension, and whose field `column` is `key`.
    private func globs(with key: String, at column: Int) -> [MimeGlob] {
        globs.indices.flatMap { directory in
            globs[directory].lines(with: key, at: column).compactMap(MimeGlob.init).filter { glob in
                !globs[..<directory].contains {
                    $0.lines(with: glob.mimeType, at: 1).contains(where: MimeGlob.closesType)
                }
            }
        }
    }

    static func isMIMEType(_ name: String) -> Bool { MediaType(name)?.tag == name }

    private static func conforms(_ identifier: String, to supertype: String) -> Bool {
        Conformance.conforms(identifier, closure: [], to: supertype, edges: [])
    }
}
