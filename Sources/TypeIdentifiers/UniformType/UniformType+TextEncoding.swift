extension UniformType {
    /// The name of the charset in which text of this type is written, as IANA and `iconv` have it; nil for a type that
    /// says nothing of it, whose text is taken for UTF-8.
    ///
    /// The nearest type that says so decides: the type itself, then its supertypes. UTF-16 without a byte order mark is in
    /// the order of this machine, and in network order if it is meant for other machines (`utf16ExternalPlainText`).
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
