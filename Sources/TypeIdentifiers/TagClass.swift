extension UniformType {
    /// A kind of tag: another naming scheme in which types have names.
    public struct TagClass: RawRepresentable, Hashable, Sendable {
        /// The identifier of the class.
        public let rawValue: String

        /// The class with this identifier.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Filename extensions, without the dot.
        public static let filenameExtension = TagClass(rawValue: "public.filename-extension")
        /// MIME types.
        public static let mimeType = TagClass(rawValue: "public.mime-type")
    }
}

extension UniformType.TagClass {
    /// The forms in which to look for `tag`, the most particular first and the plainest last; none if it is invalid.
    func spellings(of tag: String) -> [String] {
        switch self {
        case .filenameExtension: Self.isFilenameExtension(tag) ? [tag.foldedASCII] : []
        case .mimeType: MediaType(tag)?.spellings ?? []
        default: tag.isEmpty ? [] : [tag]
        }
    }

    private static func isFilenameExtension(_ tag: String) -> Bool {
        !tag.isEmpty && !tag.utf8.starts(with: ".".utf8)
            && tag.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    }
}
