import PasteboardCompatibility

extension UTType {
    static let sketch = UTType(exportedAs: "com.example.sketch", conformingTo: .image)
    static let partnerDrawing = UTType(importedAs: "com.partner.drawing")
}

/// Decides by type what can be done with a file.
enum DocumentTypes {
    static let supported: [UTType] = [.sketch, .png, .jpeg, .plainText]

    static func isSupported(fileNamed name: String) -> Bool {
        let fileExtension = (name as NSString).pathExtension
        guard let type = UTType(filenameExtension: fileExtension) else { return false }
        return supported.contains { type.conforms(to: $0) }
    }

    static func type(ofDownloadWithMIMEType mimeType: String) -> UTType {
        UTType(mimeType: mimeType) ?? .data
    }

    static func describe(_ type: UTType) -> String {
        var words: [String] = []
        if type.isDynamic { words.append("dynamic") }
        if type.isDeclared { words.append("declared") }
        if type.isPublic { words.append("public") }
        if type.isSubtype(of: .image) { words.append("an image") }
        if type.isSupertype(of: .png) { words.append("above png") }
        if type.supertypes.contains(.text) { words.append("text") }
        return words.joined(separator: ", ")
    }

    static func fileName(for title: String, type: UTType) -> String {
        guard let preferredExtension = type.preferredFilenameExtension else { return title }
        return "\(title).\(preferredExtension)"
    }

    static func url(in folder: URL, for title: String, type: UTType) -> URL {
        folder.appendingPathComponent(title, conformingTo: type)
    }

    static func allExtensions(of type: UTType) -> [String] {
        type.tags[.filenameExtension] ?? []
    }

    static func candidates(forExtension fileExtension: String) -> [UTType] {
        UTType.types(tag: fileExtension, tagClass: UTTagClass.filenameExtension, conformingTo: nil)
    }

    /// Types are kept in preferences as their identifiers.
    static func roundTrip(_ types: [UTType]) throws -> [UTType] {
        try JSONDecoder().decode([UTType].self, from: JSONEncoder().encode(types))
    }
}
