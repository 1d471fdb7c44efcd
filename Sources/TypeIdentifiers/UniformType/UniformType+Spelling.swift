// The names that people and file systems use for types.
extension UniformType {
    /// The type for a text that a user has entered: an identifier, a MIME type, an extension with or without its dot,
    /// or the name of a family: `text`, `image`, `audio`, `video`, `font`, also as `image/*`.
    ///
    /// A MIME type, or an extension with its dot, results in a dynamic type if no type declares it. An identifier is
    /// used unchanged. A word without a dot must be declared, as `public.WORD` or as an extension; otherwise it is
    /// regarded as a mistake.
    package static func fromUserSpelling(_ spelling: String) -> UniformType? {
        if let family = family(named: spelling) { return family }
        if spelling.utf8.contains(UInt8(ascii: "/")) {
            return spelling.utf8.contains(UInt8(ascii: "*")) ? nil : UniformType(mimeType: spelling)
        }
        if let tag = fileExtension(spelledAs: spelling) { return fromExtension(tag) }
        guard TypeIdentifier.isWellFormed(spelling) else { return nil }
        guard spelling.utf8.contains(UInt8(ascii: ".")) else { return UniformType("public." + spelling.foldedASCII) }
        if DynamicType.isDynamic(spelling) { return UniformType(spelling) }
        return UniformType(importedAs: spelling)
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
