extension UniformType {
    /// A kind of tag: another naming scheme in which types have names.
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
    }
}

/// The class of a tag by the name that a program written for `UTTagClass` has for it.
public typealias UniformTagClass = UniformType.TagClass
