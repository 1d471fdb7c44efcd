/// A lookup of the types with a tag: the tag's class, and a required supertype.
struct TagLookup {
    let tagClass: UniformType.TagClass
    /// nil if there is no required supertype.
    let supertype: UniformType?

    /// The types with the tag, best first: the declared ones, else one dynamic type, else none because the tag is
    /// invalid.
    func types(tagged tag: String) -> [UniformType] {
        switch tagClass {
        case .filenameExtension: Self.isFilenameExtension(tag) ? types(named: tag.foldedASCII) : []
        case .mimeType: MediaType(tag).map(types) ?? []
        default: tag.isEmpty ? [] : types(named: tag)
        }
    }

    /// The system's best type, found without allocating. Most lookups end here. nil does not mean that there is none,
    /// because the tag is not normalized here.
    func systemType(tagged tag: String) -> UniformType? {
        for identifier in ConformanceTable.claimants(of: tag, tagClass) {
            let type = UniformType(known: identifier)
            if supertype.map(type.conforms) ?? true { return type }
        }
        return nil
    }

    private func types(named tag: String) -> [UniformType] {
        let declared = declaredTypes(named: tag)
        return declared.isEmpty ? dynamicType(named: tag, [supertype?.identifier]) : declared
    }

    /// The types of a MIME type. Text in a charset that the table does not contain has a separate type, which keeps the
    /// charset: under the type of UTF-8 text, a reader would decode the bytes incorrectly.
    private func types(_ media: MediaType) -> [UniformType] {
        let declared = declaredTypes(named: media.tag)
        guard declared.isEmpty else { return declared }
        let plain = declaredTypes(mimeType: media.essence)
        guard media.hasForeignCharset else {
            return plain.isEmpty ? dynamicType(named: media.essence, [supertype?.identifier]) : plain
        }
        // A type that determines the encoding itself contradicts the charset.
        let known = plain.first { $0.textEncodingName == nil } ?? .plainText
        let isWanted = supertype.map(known.conforms) ?? true
        return dynamicType(named: media.tag, [isWanted ? known.identifier : supertype?.identifier])
    }

    /// The declared types of a MIME type, also by its other names in the MIME database.
    private func declaredTypes(mimeType: String) -> [UniformType] {
        let declared = declaredTypes(named: mimeType)
        guard declared.isEmpty, let database = SharedMimeInfo.current else { return declared }
        for name in database.otherNames(of: mimeType) {
            let declared = declaredTypes(named: name)
            if !declared.isEmpty { return declared }
        }
        return []
    }

    private func declaredTypes(named tag: String) -> [UniformType] {
        let identifiers =
            Array(ConformanceTable.claimants(of: tag, tagClass)) + Declarations.types(tagged: tag, tagClass)
        return identifiers.map(UniformType.init(known:)).filter { type in supertype.map(type.conforms) ?? true }
    }

    private func dynamicType(named tag: String, _ supertypes: [String?]) -> [UniformType] {
        DynamicType.identifier(tag: tag, tagClass: tagClass, supertypes: supertypes.compactMap(\.self))
            .flatMap(UniformType.init(_:)).map { [$0] } ?? []
    }

    static func isFilenameExtension(_ tag: String) -> Bool {
        !tag.isEmpty && !tag.utf8.starts(with: ".".utf8)
            && tag.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
    }
}
