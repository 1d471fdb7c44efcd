extension UniformType {
    /// A kind of tag. Each class is another naming scheme for types.
    public struct TagClass: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
        /// The identifier of the class.
        public let rawValue: String

        /// The class with this identifier.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The identifier of the class.
        public var description: String { rawValue }

        /// Filename extensions, without the dot.
        public static let filenameExtension = TagClass(rawValue: "public.filename-extension")
        /// MIME types.
        public static let mimeType = TagClass(rawValue: "public.mime-type")
        /// Names of types on pasteboards that are neither identifiers nor MIME types.
        package static let pasteboardType = TagClass(rawValue: "com.apple.nspboard-type")
    }
}

/// The class of a tag, under the name that programs written for `UTTagClass` expect.
public typealias UniformTagClass = UniformType.TagClass
