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
