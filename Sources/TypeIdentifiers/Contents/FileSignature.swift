/// Bytes that identify the files of a type.
struct FileSignature {
    let pattern: String
    /// The identifier of the type.
    let type: String
    /// The family of the signature. Its signatures are variants of one form, so their types do not contradict each
    /// other.
    let family: Family
    /// Whether such a file can be UTF-8 text. If not, text that begins with the signature, such as "BM", stays text.
    let isText: Bool

    init(_ pattern: String, _ type: String, _ family: Family = .none, isText: Bool = false) {
        self.pattern = pattern
        self.type = type
        self.family = family
        self.isText = isText
    }

    enum Family {
        case none
        /// Containers. Many types use one, and the contents identify only the container.
        case zip, gzip, bzip2, xz, zstandard, tar, sqlite, propertyList, tiff
        case baseMedia, matroska, ogg, id3, executable, postScript

        var isContainer: Bool {
            switch self {
            case .zip, .gzip, .bzip2, .xz, .zstandard, .tar, .sqlite, .propertyList, .tiff: true
            default: false
            }
        }
    }

    /// The first signature that matches the start of a file.
    static func matching(_ head: Span<UInt8>) -> FileSignature? {
        all.first { BytePattern.matches($0.pattern, head) }
    }

    /// Whether files of `type` have this signature or another of its family.
    func suits(_ type: UniformType) -> Bool {
        if isRelated(type) { return true }
        guard family != .none else { return false }
        return Self.all.contains { $0.family == family && $0.isRelated(type) }
            || Self.relatives.contains { $0.family == family && type.conforms(to: UniformType(known: $0.type)) }
    }

    /// Whether there is a signature for files of `type`.
    static func describes(_ type: UniformType) -> Bool {
        all.contains { $0.isRelated(type) }
    }

    private func isRelated(_ type: UniformType) -> Bool {
        let own = UniformType(known: self.type)
        return type.conforms(to: own) || own.conforms(to: type)
    }
}
