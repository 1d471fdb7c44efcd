// How people and file systems name types.
extension UniformType {
    /// The type a person means by an identifier, a MIME type, an extension with its dot, or the words `text` and `image`.
    ///
    /// A MIME type or extension that nothing declares gives a dynamic type, and an identifier is taken as it is. One
    /// without a dot is not accepted: it is a slip (`png` for `.png`) far more often than a type.
    package static func fromUserSpelling(_ spelling: String) -> UniformType? {
        switch spelling.foldedASCII {
        case "text": return .text
        case "image": return .image
        default: break
        }
        if spelling.utf8.contains(UInt8(ascii: "/")) { return UniformType(mimeType: spelling) }
        if spelling.utf8.first == UInt8(ascii: ".") { return fromExtension(String(spelling.dropFirst())) }
        guard TypeIdentifier.isWellFormed(spelling), spelling.utf8.contains(UInt8(ascii: ".")) else { return nil }
        if DynamicType.isDynamic(spelling) { return UniformType(spelling) }
        return UniformType(importedAs: spelling)
    }

    /// The type of a regular file by its name or path; ``data`` if it has no extension.
    package static func forFile(named name: String) -> UniformType {
        fileExtension(of: name).flatMap { UniformType(filenameExtension: $0) } ?? .data
    }

    /// The type of a directory by its name or path: one that is declared for its extension, else ``folder``.
    package static func forFolder(named name: String) -> UniformType {
        let type = fileExtension(of: name).flatMap { UniformType(filenameExtension: $0, conformingTo: .directory) }
        return type.flatMap { $0.isDynamic ? nil : $0 } ?? .folder
    }

    private static func fileExtension(of name: String) -> String? {
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        // A leading dot hides a file and starts no extension.
        guard let dot = last.dropFirst().lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return String(Substring(last[last.index(after: dot)...]))
    }

    /// Bytes if any type of bytes has the extension, else a directory's type, else a dynamic type of bytes.
    private static func fromExtension(_ text: String) -> UniformType? {
        guard let type = UniformType(filenameExtension: text), type.isDynamic else {
            return UniformType(filenameExtension: text)
        }
        let any = UniformType(tag: text, tagClass: .filenameExtension, conformingTo: nil)
        return any.flatMap { $0.isDynamic ? nil : $0 } ?? type
    }
}
