public import FoundationEssentials

extension URL: ItemProviderWriting {
    /// What every URL is: `public.url`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UniformType.url.identifier] }

    /// `public.url`; for the URL of a file, `public.file-url` before it.
    public var writableTypeIdentifiersForItemProvider: [String] {
        (isFileURL ? [UniformType.fileURL.identifier] : []) + Self.writableTypeIdentifiersForItemProvider
    }

    /// Gives the absolute URL as text, in UTF-8. A relative one is resolved against its base: the base would be lost on the
    /// way.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(Data(absoluteString.utf8), nil)
        return nil
    }
}

extension URL: ItemProviderReading {
    /// `public.url` and, as one of its kinds, `public.file-url`.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UniformType.fileURL.identifier, UniformType.url.identifier]
    }

    /// Makes a URL of its text in UTF-8, with white space around it left out. What a URL cannot contain is
    /// percent-encoded, as `URL(string:)` does.
    ///
    /// - Throws: a ``PasteboardError`` of code `source-failed` for text that is no URL, and for a `public.file-url` that is
    ///   not one of a file.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> URL {
        let type = UniformType(importedAs: typeIdentifier)
        let text = try data.text(as: .utf8, type: type)
        let spaces: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
        let start = text.drop { spaces.contains($0) }
        let end = start.lastIndex { !spaces.contains($0) }
        guard let end, let url = URL(string: String(start[...end])) else {
            throw PasteboardError.unreadable(type, "they are no URL")
        }
        if type.conforms(to: .fileURL), !url.isFileURL {
            throw PasteboardError.unreadable(type, "the URL's scheme is \(url.scheme ?? "missing"), and not file")
        }
        return url
    }
}
