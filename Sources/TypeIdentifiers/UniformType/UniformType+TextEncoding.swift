extension UniformType {
    /// The types of plain text that can represent every character, best first. A reader prefers them to other encodings
    /// of a text, whatever the order of its source, which ranks kinds of contents and not encodings.
    package static let unicodeTexts: [UniformType] = [.utf8PlainText, .utf16PlainText, .utf16ExternalPlainText]

    /// Types whose bytes are text in UTF-8 although they do not conform to ``text``.
    package static let textualFormats: [UniformType] = [
        "com.adobe.postscript", "com.adobe.encapsulated-postscript", "public.url", "public.file-url", "public.url-name",
        "public.email-message", "public.uuencoded-archive", "com.apple.binhex-archive", "public.xbitmap-image",
        "com.microsoft.internet-shortcut",
    ].map(UniformType.init(known:))

    /// Whether this is text in an encoding other than UTF-8.
    package var hasForeignEncoding: Bool { textEncodingName.map { $0.uppercased() != "UTF-8" } ?? false }

    /// Whether this is plain text whose bytes need not be UTF-8.
    package var isPlainTextInAnotherEncoding: Bool {
        self == .plainText || self != .utf8PlainText && conforms(to: .plainText) && hasForeignEncoding
    }

    /// Whether the bytes are text.
    package var isText: Bool {
        // A dynamic type has its supertypes from a list or from the system's database, which are not always at hand.
        conforms(to: .text) || Self.textualFormats.contains(self)
            || DynamicType(identifier)?.tags[.mimeType]?.first?.hasPrefix("text/") == true
    }

    /// The name of the charset of text in this type, as used by IANA and `iconv`; nil for a type without a charset,
    /// whose text is read as UTF-8.
    ///
    /// The nearest type with a charset decides: the type itself, then its supertypes. UTF-16 without a byte order mark
    /// is in the byte order of this machine, or in network order if it is meant for other machines
    /// (`utf16ExternalPlainText`).
    package var textEncodingName: String? {
        Self.ownTextEncodingName(of: identifier)
            ?? supertypeIdentifiers.lazy.compactMap(Self.ownTextEncodingName).first
    }

    private static func ownTextEncodingName(of identifier: String) -> String? {
        switch identifier.foldedASCII {
        case "public.utf8-plain-text": "UTF-8"
        case "public.utf16-plain-text": "UTF-16"
        case "public.utf16-external-plain-text": "UTF-16BE"
        case "com.apple.traditional-mac-plain-text": "MACINTOSH"
        default: DynamicType(identifier)?.tags[.mimeType]?.lazy.compactMap { MediaType($0)?.charset }.first
        }
    }
}
