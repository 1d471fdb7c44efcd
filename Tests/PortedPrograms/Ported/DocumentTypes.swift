import Foundation
import PasteboardCompatibility

extension UniformType {
    static let sketch = UniformType(exportedAs: "com.example.sketch", conformingTo: .image)
    static let partnerDrawing = UniformType(importedAs: "com.partner.drawing")
}

/// Decides by type what can be done with a file.
enum DocumentTypes {
    static let supported: [UniformType] = [.sketch, .png, .jpeg, .plainText]

    static func isSupported(fileNamed name: String) -> Bool {
        let fileExtension = (name as String).split(separator: ".").last.map(String.init) ?? ""
        guard let type = UniformType(filenameExtension: fileExtension) else { return false }
        return supported.contains { type.conforms(to: $0) }
    }

    static func type(ofDownloadWithMIMEType mimeType: String) -> UniformType {
        UniformType(mimeType: mimeType) ?? .data
    }

    static func describe(_ type: UniformType) -> String {
        var words: [String] = []
        if type.isDynamic { words.append("dynamic") }
        if type.isDeclared { words.append("declared") }
        if type.isPublic { words.append("public") }
        if type.isSubtype(of: .image) { words.append("an image") }
        if type.isSupertype(of: .png) { words.append("above png") }
        if type.supertypes.contains(.text) { words.append("text") }
        return words.joined(separator: ", ")
    }

    static func fileName(for title: String, type: UniformType) -> String {
        guard let preferredExtension = type.preferredFilenameExtension else { return title }
        return "\(title).\(preferredExtension)"
    }

    static func url(in folder: URL, for title: String, type: UniformType) -> URL {
        folder.appendingPathComponent(title, conformingTo: type)
    }

    static func allExtensions(of type: UniformType) -> [String] {
        type.tags[.filenameExtension] ?? []
    }

    static func candidates(forExtension fileExtension: String) -> [UniformType] {
        UniformType.types(tag: fileExtension, tagClass: UniformTagClass.filenameExtension, conformingTo: nil)
    }

    /// Types are kept in preferences as their identifiers.
    static func roundTrip(_ types: [UniformType]) throws -> [UniformType] {
        try JSONDecoder().decode([UniformType].self, from: JSONEncoder().encode(types))
    }
}
