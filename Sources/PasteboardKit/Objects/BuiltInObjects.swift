public import FoundationEssentials

extension String: ItemProviderWriting {
    /// `public.utf8-plain-text`. This type conforms to `public.plain-text`, so a request for that is met, too. No other
    /// type is listed, because every program that reads text here reads UTF-8.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UniformType.utf8PlainText.identifier] }

    /// Provides the text in UTF-8, without adding a byte order mark.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(Data(utf8), nil)
        return nil
    }
}

extension String: ItemProviderReading {
    /// All plain text, including text of unknown encoding (`public.plain-text`), like `NSString`.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [
            UniformType.utf8PlainText.identifier, UniformType.utf16ExternalPlainText.identifier,
            UniformType.utf16PlainText.identifier, "com.apple.traditional-mac-plain-text",
            UniformType.plainText.identifier,
        ]
    }

    /// Makes a string from text. The encoding is that of the type; if the type does not determine it, that of the byte
    /// order mark, or UTF-8 without a mark.
    ///
    /// - Throws: a ``PasteboardError`` of code `source-failed` that names the type and the first byte that is not
    ///   valid.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> String {
        let type = UniformType(importedAs: typeIdentifier)
        return try data.text(of: type)
    }
}

extension Data: ItemProviderReading {
    /// `public.data`: all types that have bytes.
    public static var readableTypeIdentifiersForItemProvider: [String] { [UniformType.data.identifier] }

    /// Returns the bytes unchanged.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Data { data }
}

extension URL: ItemProviderWriting {
    /// `public.url`, for all URLs.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UniformType.url.identifier] }

    /// `public.url`; for a file URL, `public.file-url` before it.
    public var writableTypeIdentifiersForItemProvider: [String] {
        (isFileURL ? [UniformType.fileURL.identifier] : []) + Self.writableTypeIdentifiersForItemProvider
    }

    /// Provides the absolute URL as text, in UTF-8. A relative URL is resolved first, because its base would be lost.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(Data(absoluteString.utf8), nil)
        return nil
    }
}

extension URL: ItemProviderReading {
    /// `public.file-url` and `public.url`.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UniformType.fileURL.identifier, UniformType.url.identifier]
    }

    /// Makes a URL from its text in UTF-8, ignoring white space around it. Characters that a URL cannot contain are
    /// percent-encoded, as by `URL(string:)`.
    ///
    /// - Throws: a ``PasteboardError`` of code `source-failed` if the text is not a URL, or if a `public.file-url` is
    ///   not a file URL.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> URL {
        let type = UniformType(importedAs: typeIdentifier)
        let text = try data.utf8(type: type)
        let spaces: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
        let start = text.drop { spaces.contains($0) }
        let end = start.lastIndex { !spaces.contains($0) }
        guard let end, let url = URL(string: String(start[...end])) else {
            throw PasteboardError.unreadable(type, "they are not a URL")
        }
        if type.conforms(to: .fileURL), !url.isFileURL {
            throw PasteboardError.unreadable(type, "the URL's scheme is \(url.scheme ?? "missing"), not file")
        }
        return url
    }
}
