extension UniformType {
    /// The declared type of this identifier, or a dynamic type if the identifier is a well-formed dynamic one.
    ///
    /// nil when neither the system's table nor this program declares it, as UTType has it;
    /// ``init(importedAs:conformingTo:)`` names such a type.
    public init?(_ identifier: String) {
        if let dynamic = DynamicType(identifier) {
            self.init(dynamic: identifier, dynamic)
        } else if ConformanceTable.row(of: identifier) != nil || Declarations.contains(identifier) {
            self.init(known: identifier)
        } else {
            return nil
        }
    }

    /// The best type for files with this extension (without its dot, in any case) that conforms to `supertype`.
    ///
    /// As UTType has it: a declared type, else a dynamic type with that extension and supertype. For directories pass
    /// ``directory`` or ``package``. nil for text that is no extension: empty, with `/` or control characters, or starting
    /// with a dot.
    ///
    /// What a dynamic type conforms to besides is the affair of the system's shared-mime-info database, where there is one
    /// and the program uses PasteboardKit: of the MIME types that have a pattern `*.extension` it is the one with the highest
    /// weight, and of equal ones the first by name, that conforms to `supertype`; see ``init(mimeType:conformingTo:)``. Its
    /// patterns that insist on capitals are left out. The identifier is the same with and without a database.
    public init?(filenameExtension: String, conformingTo supertype: UniformType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// The best type for this MIME type, in any case, that conforms to `supertype`.
    ///
    /// As UTType has it: a declared type, else a dynamic type with that MIME type and supertype. nil for text that is no MIME
    /// type. Parameters are left out but for the charset of text: `text/plain;charset=utf-8` is ``utf8PlainText``, and
    /// `text/plain` is ``plainText``. A charset that no declared type has, other than UTF-8, gives a dynamic type that keeps
    /// it and conforms to the type without it: `text/html;charset=iso-8859-1` conforms to ``html``.
    ///
    /// The system's shared-mime-info database, where there is one and the program uses PasteboardKit, knows other names of
    /// one type, and each leads to the declared type that has any of them: `image/pjpeg` to ``jpeg``. A dynamic type conforms
    /// to what the database's `subclasses` says, to ``plainText``, ``image``, ``audio``, ``movie``, ``font`` or
    /// ``threeDContent`` by the first part of its MIME type if the database has it, and to ``data``, as long as that agrees
    /// with `supertype`: `application/x-php` conforms to ``text``. The files are read once, at the first lookup that nothing
    /// else answers. The identifier is the same with and without a database, so that two processes agree on it; the
    /// supertypes go with the value, and with the promise of a source.
    public init?(mimeType: String, conformingTo supertype: UniformType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// The best type with this tag that conforms to `supertype`, as ``types(tag:tagClass:conformingTo:)`` has it.
    public init?(tag: String, tagClass: TagClass, conformingTo supertype: UniformType?) {
        let lookup = TagLookup(tagClass: tagClass, supertype: supertype)
        guard let best = lookup.systemType(tagged: tag) ?? lookup.types(tagged: tag).first else { return nil }
        self = best
    }

    /// All types with this tag that conform to `supertype` (any, if nil), best first.
    ///
    /// The system's come first in the order of its table, then the ones this program describes, exports and imports, each
    /// in the order of declaration. Where there is none the result is one dynamic type, or nothing for a tag that is invalid
    /// or too long for an identifier.
    public static func types(tag: String, tagClass: TagClass, conformingTo supertype: UniformType?) -> [UniformType] {
        TagLookup(tagClass: tagClass, supertype: supertype).types(tagged: tag)
    }

    /// The tags of the type by class, the preferred one of each class first; of a dynamic type those that its identifier
    /// says.
    public var tags: [TagClass: [String]] {
        if let row = ConformanceTable.row(of: identifier) {
            let tags = [TagClass.filenameExtension, .mimeType].map { ($0, ConformanceTable.tags(of: row, $0)) }
            return Dictionary(uniqueKeysWithValues: tags.filter { !$0.1.isEmpty })
        }
        return DynamicType(identifier)?.tags ?? Declarations.tags(of: identifier)
    }

    /// The extension to give a file of this type, without a dot; nil for abstract types.
    ///
    /// The first of ``tags``, as UTType has it. For a dynamic type that has none of this class it is the one of the system's
    /// shared-mime-info database, if that knows the type's MIME type.
    public var preferredFilenameExtension: String? {
        tags[.filenameExtension]?.first
            ?? databaseMatch.flatMap { SharedMimeInfo.current?.filenameExtensions(of: $0.mimeType).first }
    }

    /// The MIME type to announce for this type; nil for abstract types.
    ///
    /// The first of ``tags``, as UTType has it. For a dynamic type that has none of this class it is the one that the
    /// system's shared-mime-info database has for the type's extension, if any.
    public var preferredMIMEType: String? { tags[.mimeType]?.first ?? databaseMatch?.mimeType }

    private var databaseMatch: SharedMimeInfo.Match? {
        DynamicType(identifier).flatMap { SharedMimeInfo.match(for: $0, identifier: identifier) }
    }
}

extension UniformType {
    /// The extensions for a file of this type, the preferred one first: its own, else of the nearest type that it is a kind
    /// of. UTF-8 text is a `txt`.
    package var filenameExtensionsOfKind: [String] {
        for type in [self] + supertypeIdentifiers.map(UniformType.init(known:)) {
            if let tags = type.tags[.filenameExtension] ?? type.preferredFilenameExtension.map({ [$0] }) { return tags }
        }
        return []
    }

    /// Whether a name with this extension needs no other to be one of this type: `jpg` for any image, `txt` for UTF-8 text.
    package func hasFilenameExtension(_ tag: String) -> Bool {
        filenameExtensionsOfKind.contains { Conformance.equal($0, tag) }
            || Self.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil).contains { $0.conforms(to: self) }
    }
}
