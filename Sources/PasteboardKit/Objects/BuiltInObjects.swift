public import FoundationEssentials

extension String: ItemProviderWriting {
    /// `public.utf8-plain-text`. It conforms to `public.plain-text`, so that whoever asks for that is served, too; nothing
    /// else is listed, because everything that reads text here reads UTF-8.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UniformType.utf8PlainText.identifier] }

    /// Gives the text in UTF-8, without a byte order mark of its own.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(Data(utf8), nil)
        return nil
    }
}

extension String: ItemProviderReading {
    /// All plain text, that of unknown encoding (`public.plain-text`) among it, as `NSString`.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [
            UniformType.utf8PlainText.identifier, UniformType.utf16ExternalPlainText.identifier,
            UniformType.utf16PlainText.identifier, "com.apple.traditional-mac-plain-text",
            UniformType.plainText.identifier,
        ]
    }

    /// Makes a string of text in the encoding that the type names; where it names none, in that of the byte order mark, else
    /// in UTF-8.
    ///
    /// - Throws: a ``PasteboardError`` of code `source-failed` that names the type and the first byte that is not valid.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> String {
        let type = UniformType(importedAs: typeIdentifier)
        return try data.text(as: TextEncoding(of: type, data), type: type)
    }
}

extension Data: ItemProviderReading {
    /// Whatever has bytes: `public.data`.
    public static var readableTypeIdentifiersForItemProvider: [String] { [UniformType.data.identifier] }

    /// The bytes as they are.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Data { data }
}

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
