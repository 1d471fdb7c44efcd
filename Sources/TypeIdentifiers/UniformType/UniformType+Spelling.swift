// The names that people and file systems use for types.
extension UniformType {
    /// The type for a text that a user has entered: an identifier, a MIME type, an extension with or without its dot,
    /// the name of a family: `text`, `image`, `audio`, `video`, `font`, also as `image/*`, or another name that
    /// programs for X11 and Wayland use.
    ///
    /// A MIME type, or an extension with its dot, results in a dynamic type if no type declares it. An identifier is
    /// used unchanged. A word of lower-case letters must be declared, as `public.WORD` or as an extension; otherwise it
    /// is regarded as a mistake.
    package static func fromUserSpelling(_ spelling: String) -> UniformType? {
        if let family = family(named: spelling) { return family }
        if spelling.utf8.contains(UInt8(ascii: "/")) {
            return spelling.utf8.contains(UInt8(ascii: "*")) ? nil : fromMIMEName(spelling)
        }
        if let tag = fileExtension(spelledAs: spelling) { return fromExtension(tag) }
        if DynamicType.isDynamic(spelling) { return UniformType(spelling) }
        if let word = UniformType("public." + spelling.foldedASCII) { return word }
        let isName = TypeIdentifier.isWellFormed(spelling) || spelling.utf8.contains { 0x41...0x5A ~= $0 }
        return isName && !isWord(spelling) ? fromName(spelling) : nil
    }

    private static func isWord(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.isLowercase || "0"..."9" ~= $0 }
    }

    /// The type that other programs know by this name: an identifier, a MIME type, or a text that begins with a letter,
    /// a digit or `_`, such as `_VIM_TEXT` and `HTML Format`. nil for a text that is no name, or too long for a type.
    package static func fromName(_ name: String) -> UniformType? {
        if name.utf8.contains(UInt8(ascii: "/")), let type = fromMIMEName(name) { return type }
        if DynamicType.isDynamic(name) { return UniformType(name) }
        if TypeIdentifier.isWellFormed(name), !isWord(name) { return UniformType(importedAs: name) }
        return isName(name) ? UniformType(tag: name, tagClass: .pasteboardType, conformingTo: .data) : nil
    }

    /// The type of a MIME type that is known not to be declared. Its supertypes are not looked up, because reading the
    /// system's database takes longer than a small paste.
    package static func undeclared(mimeType name: String) -> UniformType? {
        DynamicType.identifier(tag: name, tagClass: .mimeType, supertypes: [UniformType.data.identifier])
            .map(UniformType.init(known:))
    }

    /// Whether a text begins like a name, is harmless in a list, and cannot be taken for a path or for `TYPE=FILE`.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first.isNumber || first == "_" else { return false }
        return text.unicodeScalars.allSatisfy {
            TypeIdentifier.isAllowed($0) || " "..."~" ~= $0 && $0 != "/" && $0 != "="
        }
    }

    /// The type for a MIME type as other programs spell it: one with parameters other than a charset is another type,
    /// which conforms to the one without.
    private static func fromMIMEName(_ name: String) -> UniformType? {
        guard let media = MediaType(name) else { return nil }
        // A folder has a MIME type, too.
        let declared = types(tag: name, tagClass: .mimeType, conformingTo: nil).first { $0.isDeclared }
        let plain = declared ?? UniformType(mimeType: name)
        guard let plain, let spelling = media.spelling else { return plain }
        return undeclared(mimeType: spelling)
            .map { UniformType(identifier: $0.identifier, supertypes: [plain.identifier] + plain.closure) }
    }

    /// The names by which programs for X11 and Wayland know the type, the preferred one first: its MIME types, also
    /// those of the system's database, or the name that it was made from. A type without one has those of its nearest
    /// supertype.
    package var names: [String] {
        let own = tags[.mimeType] ?? tags[.pasteboardType] ?? preferredMIMEType.map { [$0] }
        if let own, let preferred = own.first {
            let others = isDynamic ? [] : SharedMimeInfo.current?.otherNames(of: preferred) ?? []
            return own + others.filter { !own.contains($0) }
        }
        // An identifier without a dot is itself such a name.
        guard identifier.utf8.contains(UInt8(ascii: ".")) else { return [identifier] }
        return supertypeIdentifiers.lazy.map { UniformType(known: $0).names }.first { !$0.isEmpty } ?? []
    }

    /// The types that a user accepts with a text that ``fromUserSpelling(_:)`` reads; all types of an extension.
    package static func accepted(byUserSpelling spelling: String) -> [UniformType] {
        guard let best = fromUserSpelling(spelling) else { return [] }
        guard let tag = fileExtension(spelledAs: spelling), best.conforms(to: .data) else { return [best] }
        return [best] + FileType.types(ofExtension: tag).filter { $0 != best }
    }

    /// The type of a family, such as ``image`` for `image` and `image/*`; nil for other names.
    package static func family(named name: String) -> UniformType? {
        switch name.foldedASCII {
        case "text", "text/*": .text
        case "image", "image/*": .image
        case "audio", "audio/*": .audio
        case "video", "video/*", "movie": .movie
        case "font", "font/*": .font
        default: nil
        }
    }

    /// The extension that `.png` or `png` names; nil for a word that is also the name of a public type, such as `png`
    /// and `url`.
    private static func fileExtension(spelledAs spelling: String) -> String? {
        if spelling.utf8.first == UInt8(ascii: ".") { return String(spelling.dropFirst()) }
        guard !spelling.utf8.contains(UInt8(ascii: ".")), UniformType("public." + spelling.foldedASCII) == nil else {
            return nil
        }
        return fromExtension(spelling)?.isDeclared == true ? spelling : nil
    }

    /// The type of a regular file, from its name or path; ``data`` if it has no extension.
    package static func forFile(named name: String) -> UniformType {
        fileExtension(of: name).flatMap { UniformType(filenameExtension: $0) } ?? .data
    }

    /// The type of a directory, from its name or path: the type declared for its extension, else ``folder``.
    package static func forFolder(named name: String) -> UniformType {
        let type = fileExtension(of: name).flatMap { UniformType(filenameExtension: $0, conformingTo: .directory) }
        return type.flatMap { $0.isDynamic ? nil : $0 } ?? .folder
    }

    static func fileExtension(of name: String) -> String? {
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        // A leading dot hides the file; it does not begin an extension.
        guard let dot = last.dropFirst().lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return String(Substring(last[last.index(after: dot)...]))
    }

    /// A declared type of files if one has the extension, else one of directories, else a dynamic type of files.
    private static func fromExtension(_ text: String) -> UniformType? {
        guard let type = UniformType(filenameExtension: text), type.isDynamic else {
            return UniformType(filenameExtension: text)
        }
        let any = UniformType(tag: text, tagClass: .filenameExtension, conformingTo: nil)
        return any.flatMap { $0.isDynamic ? nil : $0 } ?? type
    }
}
