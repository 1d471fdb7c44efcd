extension UniformType {
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
