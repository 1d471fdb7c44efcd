/// What the system's shared-mime-info database says of MIME types and extensions: plain values, read by somebody else.
///
/// It adds to the table and to what a program declares, and never changes them. A type it knows of stays a dynamic type
/// whose identifier says what it would say without the database, so that processes with different databases still agree
/// on it; what the database adds, supertypes and tags, goes with the value and with what a publisher sends.
package struct SharedMimeInfo: Sendable {
    /// One pattern of `globs2` of the form `*.extension`.
    package struct Glob: Sendable {
        package let weight: Int
        package let mimeType: String
        package let filenameExtension: String
        package let isCaseSensitive: Bool

        package init(weight: Int, mimeType: String, filenameExtension: String, isCaseSensitive: Bool = false) {
            self.weight = weight
            self.mimeType = mimeType
            self.filenameExtension = filenameExtension
            self.isCaseSensitive = isCaseSensitive
        }
    }

    // All names are folded.
    private var types: Set<String> = []
    private var canonicalNames: [String: String] = [:]
    private var aliases: [String: [String]] = [:]
    private var parents: [String: [String]] = [:]
    private var typesByExtension: [String: [(weight: Int, mimeType: String)]] = [:]
    private var extensionsByType: [String: [(weight: Int, filenameExtension: String)]] = [:]

    /// - Parameters:
    ///   - types: the names the database lists; those that stand in the other arguments need not be repeated.
    ///   - aliases: the first one for a name counts.
    ///   - subclasses: a type and one of its direct supertypes.
    ///   - globs: of equal weight, the one with the first MIME type in the order of the alphabet counts, wherever it is.
    package init(
        types: [String] = [],
        aliases: [(alias: String, mimeType: String)] = [],
        subclasses: [(mimeType: String, parent: String)] = [],
        globs: [Glob] = []
    ) {
        self.types = Set(types.map(\.foldedASCII))
        for (alias, mimeType) in aliases {
            let (alias, mimeType) = (alias.foldedASCII, mimeType.foldedASCII)
            guard canonicalNames[alias] == nil else { continue }
            canonicalNames[alias] = mimeType
            self.aliases[mimeType, default: []].append(alias)
            self.types.insert(mimeType)
        }
        for (mimeType, parent) in subclasses {
            parents[mimeType.foldedASCII, default: []].append(parent.foldedASCII)
            self.types.insert(mimeType.foldedASCII)
        }
        for glob in globs {
            let (mimeType, folded) = (glob.mimeType.foldedASCII, glob.filenameExtension.foldedASCII)
            self.types.insert(mimeType)
            // Extensions of types are without case, so a pattern that insists on capitals can never be meant.
            if glob.isCaseSensitive && folded != glob.filenameExtension { continue }
            typesByExtension[folded, default: []].append((glob.weight, mimeType))
            extensionsByType[mimeType, default: []].append((glob.weight, folded))
        }
    }

    /// The name an alias stands for, and the others for it, in small letters; `mimeType` itself is left out.
    func otherNames(of mimeType: String) -> [String] {
        let canonical = canonicalName(of: mimeType)
        return ([canonical] + aliases[canonical, default: []]).filter { $0 != mimeType.foldedASCII }
    }

    /// The extensions of a MIME type, best first: the table's, else by weight, the short ones first (`php`, then `phps`).
    func filenameExtensions(of mimeType: String) -> [String] {
        if let declared = declaredType(of: mimeType) {
            return UniformType(known: declared).tags[.filenameExtension] ?? []
        }
        return extensionsByType[canonicalName(of: mimeType), default: []]
            .sorted { left, right in
                (-left.weight, left.filenameExtension.utf8.count, left.filenameExtension)
                    < (-right.weight, right.filenameExtension.utf8.count, right.filenameExtension)
            }
            .map(\.filenameExtension)
    }

    /// What the database takes a dynamic type for, going by its tags: the best MIME type that conforms to everything that
    /// the identifier demands. With that nobody gets a text file for a folder with the same extension.
    func match(for type: DynamicType) -> (mimeType: String, supertypes: [String])? {
        let named = type.tags[.mimeType, default: []].compactMap { MediaType($0)?.essence }
        let byExtension = type.tags[.filenameExtension, default: []].flatMap { tag in
            typesByExtension[tag.foldedASCII, default: []]
                .sorted { (-$0.weight, $0.mimeType) < (-$1.weight, $1.mimeType) }
                .map(\.mimeType)
        }
        for name in (named + byExtension).map(canonicalName) where types.contains(name) {
            let found = supertypes(of: name)
            let fits = type.supertypes.allSatisfy { wanted in found.contains { Self.conforms($0, to: wanted) } }
            if fits { return (name, found) }
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
            pending += parents[name, default: []].map(canonicalName)
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

    private func canonicalName(of mimeType: String) -> String {
        let folded = mimeType.foldedASCII
        return canonicalNames[folded] ?? folded
    }

    private static func conforms(_ identifier: String, to supertype: String) -> Bool {
        Conformance.conforms(identifier, closure: [], to: supertype, edges: [])
    }
}
