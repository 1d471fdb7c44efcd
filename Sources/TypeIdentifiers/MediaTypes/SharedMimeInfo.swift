/// What the system's shared-mime-info database says of MIME types and extensions: plain values, read by somebody else.
///
/// It adds to the table and to what a program declares, and never changes them. A type it knows of stays a dynamic type
/// whose identifier says what it would say without the database, so that processes with different databases still agree
/// on it; what the database adds, supertypes and tags, goes with the value and with what a publisher sends.
package struct SharedMimeInfo: Sendable {
    /// The files of one directory of the database, as they are; empty ones for those that are not there.
    package struct Files: Sendable {
        package var types: [UInt8] = []
        package var aliases: [UInt8] = []
        package var subclasses: [UInt8] = []
        package var globs: [UInt8] = []

        package init() {}

        package var isEmpty: Bool { types.isEmpty && aliases.isEmpty && subclasses.isEmpty && globs.isEmpty }
    }

    /// What the database takes a dynamic type for.
    struct Match {
        let mimeType: String
        let supertypes: [String]
    }

    private static let tagLimit = 4

    private let types: [MimeLines]
    private let aliases: [MimeLines]
    private let subclasses: [MimeLines]
    private let globs: [MimeLines]

    /// - Parameter directories: the one that counts most first. Lines that are not as the specification has them are passed
    ///   over.
    package init(_ directories: [Files]) {
        types = directories.map { MimeLines(bytes: $0.types, separator: UInt8(ascii: " ")) }
        aliases = directories.map { MimeLines(bytes: $0.aliases, separator: UInt8(ascii: " ")) }
        subclasses = directories.map { MimeLines(bytes: $0.subclasses, separator: UInt8(ascii: " ")) }
        globs = directories.map { MimeLines(bytes: $0.globs, separator: UInt8(ascii: ":")) }
    }

    /// The name an alias stands for, and the others for it, in small letters; `mimeType` itself is left out.
    func otherNames(of mimeType: String) -> [String] {
        let canonical = canonicalName(of: mimeType)
        let others = aliases.flatMap { Self.pairs(in: $0, with: canonical, at: 1).map(\.0) }
        return ([canonical] + others).filter { $0 != mimeType.foldedASCII }
    }

    /// The extensions of a MIME type, best first: the table's, else by weight, the short ones first (`php`, then `phps`).
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

    /// What the database takes a dynamic type for, going by its tags: the best MIME type that conforms to everything that
    /// the identifier demands. With that nobody gets a text file for a folder with the same extension.
    func match(for type: DynamicType) -> Match? {
        // A stranger's identifier may have a hundred tags; each costs a look through the files.
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

    /// What a MIME type conforms to, without what follows from the rest: where `subclasses` leads to, types of the table and
    /// dynamic ones on the way there, and the family of its first part, as all text is plain text by the database's own
    /// specification.
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

    /// The type that a lookup without a particular supertype gives.
    private static func identifier(of mimeType: String) -> String? {
        guard isData(mimeType) else { return nil }
        return DynamicType.identifier(tag: mimeType, tagClass: .mimeType, supertypes: ["public.data"])
    }

    /// Whatever has a MIME type is bytes, but for what the file system itself is made of.
    private static func isData(_ mimeType: String) -> Bool { !mimeType.hasFoldedPrefix("inode/") }

    /// The type of the table that has any of the names of a MIME type.
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

    /// The first directory that has an alias decides.
    private func canonicalName(of mimeType: String) -> String {
        for lines in aliases {
            if let pair = Self.pairs(in: lines, with: mimeType, at: 0).first { return pair.1 }
        }
        return mimeType.foldedASCII
    }

    /// Whether the database says something of a type: of all text it does, listed or not.
    private func isKnown(_ mimeType: String) -> Bool {
        mimeType.hasFoldedPrefix("text/")
            || types.contains { !$0.lines(with: mimeType, at: 0).isEmpty }
            || subclasses.contains { !Self.pairs(in: $0, with: mimeType, at: 0).isEmpty }
            || aliases.contains { !Self.pairs(in: $0, with: mimeType, at: 1).isEmpty }
            || !globs(with: mimeType, at: 1).isEmpty
    }

    /// The lines of two MIME types, in small letters, of which one is `key`.
    private static func pairs(in lines: MimeLines, with key: String, at place: Int) -> [(String, String)] {
        lines.lines(with: key, at: place).compactMap { names in
            let folded = names.map(\.foldedASCII)
            return folded.count == 2 && folded.allSatisfy(isMIMEType) ? (folded[0], folded[1]) : nil
        }
    }

    /// The patterns of all directories that are an extension, and whose field at `place` is `key`.
    private func globs(with key: String, at place: Int) -> [MimeGlob] {
        globs.indices.flatMap { directory in
            globs[directory].lines(with: key, at: place).compactMap(MimeGlob.init).filter { glob in
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
