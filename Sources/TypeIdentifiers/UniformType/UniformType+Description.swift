extension UniformType {
    /// A few words for people, in English, of the type itself or of its nearest supertype. nil for dynamic types.
    public var localizedDescription: String? {
        if isDynamic { return nil }
        let descriptions = ([identifier] + supertypeIdentifiers).compactMap(Self.ownDescription)
        // Nearly all types conform to data, so any other description is more useful.
        return descriptions.first { $0 != "data" } ?? descriptions.first
    }

    /// The identifier and, for a dynamic type, the name or extension that it contains: `dyn.… (.toy)`.
    package static func readable(_ identifier: String) -> String {
        guard let tags = DynamicType(identifier)?.tags else { return identifier }
        let name = tags[.mimeType] ?? tags[.pasteboardType]
        let tag = name?.first ?? tags[.filenameExtension]?.first.map { ".\($0)" }
        return tag.map { "\(identifier) (\($0))" } ?? identifier
    }

    private static func ownDescription(of identifier: String) -> String? {
        switch identifier.foldedASCII {
        case "public.plain-text", "public.utf8-plain-text": "plain text"
        case "public.rtf": "rich text"
        case "public.html": "HTML text"
        case "public.json": "JSON text"
        case "public.xml": "XML text"
        case "public.source-code": "source code"
        case "public.script": "script"
        case "public.text": "text"
        case "public.file-url": "file URL"
        case "public.url": "URL"
        case "com.adobe.pdf": "PDF document"
        case "public.png": "PNG image"
        case "public.jpeg": "JPEG image"
        case "public.image": "image"
        case "public.movie": "movie"
        case "public.audio": "audio"
        case "public.archive": "archive"
        case "public.font": "font"
        case "public.volume": "volume"
        case "public.folder": "folder"
        case "com.apple.package": "package"
        case "public.directory": "directory"
        case "public.executable": "executable"
        case "public.data": "data"
        default: nil
        }
    }
}
