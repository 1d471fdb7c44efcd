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
