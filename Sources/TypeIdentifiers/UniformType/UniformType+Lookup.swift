extension UniformType {
    /// The declared type of this identifier, or a dynamic type if the identifier is a well-formed dynamic one.
    ///
    /// As with UTType, the result is nil if neither the system's table nor this program declares the identifier.
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
    /// As with UTType, the result is a declared type, else a dynamic type with that extension and supertype. For
    /// directories pass ``directory`` or ``package``. nil for text that is no extension: empty, with `/` or control
    /// characters, or starting with a dot.
    ///
    /// Further supertypes of a dynamic type are found in the system's shared-mime-info database, if there is one and
    /// the program uses PasteboardKit. Among the MIME types with a pattern `*.extension` that conform to `supertype`,
    /// the one with the highest weight is used and, of equal ones, the first by name; see
    /// ``init(mimeType:conformingTo:)``. Patterns that require capitals are ignored. The identifier is the same with
    /// and without a database.
    public init?(filenameExtension: String, conformingTo supertype: UniformType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// The best type for this MIME type, in any case, that conforms to `supertype`.
    ///
    /// As with UTType, the result is a declared type, else a dynamic type with that MIME type and supertype. nil for
    /// text that is no MIME type. Parameters are ignored except for the charset of text: `text/plain;charset=utf-8` is
    /// ``utf8PlainText``, and `text/plain` is ``plainText``. A charset other than UTF-8 that no declared type has
    /// results in a dynamic type that keeps it, and conforms to the type without it: `text/html;charset=iso-8859-1`
    /// conforms to ``html``.
    ///
    /// The system's shared-mime-info database is used if there is one and the program uses PasteboardKit. It contains
    /// other names of MIME types, and each leads to the declared type that has one of the names. A dynamic type
    /// conforms to the supertypes in the database's `subclasses`. If the database contains the MIME type, it also
    /// conforms to ``plainText``, ``image``, ``audio``, ``movie``, ``font`` or ``threeDContent``, according to the
    /// first part of the MIME type, and to ``data``. All of this applies only if it agrees with `supertype`. For
    /// example, `application/x-awk` conforms to ``text``.
    ///
    /// The files are read once, at the first lookup that needs them. The identifier is the same with and without a
    /// database, so that two processes agree on it. The supertypes are part of the value, and a source sends them with
    /// its promise.
    public init?(mimeType: String, conformingTo supertype: UniformType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// The best type with this tag that conforms to `supertype`: the first of ``types(tag:tagClass:conformingTo:)``.
    public init?(tag: String, tagClass: TagClass, conformingTo supertype: UniformType?) {
        let lookup = TagLookup(tagClass: tagClass, supertype: supertype)
        guard let best = lookup.systemType(tagged: tag) ?? lookup.types(tagged: tag).first else { return nil }
        self = best
    }

    /// All types with this tag that conform to `supertype` (any, if nil), best first.
    ///
    /// The system's types are first, in the order of its table. The types that this program describes, exports and
    /// imports follow, each in the order of declaration. If there is no declared type, the result is one dynamic type,
    /// or nothing for a tag that is invalid or too long for an identifier.
    public static func types(tag: String, tagClass: TagClass, conformingTo supertype: UniformType?) -> [UniformType] {
        TagLookup(tagClass: tagClass, supertype: supertype).types(tagged: tag)
    }

    /// The tags of the type by class, the preferred one of each class first. The tags of a dynamic type are those in
    /// its identifier.
    public var tags: [TagClass: [String]] {
        if let row = ConformanceTable.row(of: identifier) {
            let tags = [TagClass.filenameExtension, .mimeType].map { ($0, ConformanceTable.tags(of: row, $0)) }
            return Dictionary(uniqueKeysWithValues: tags.filter { !$0.1.isEmpty })
        }
        return DynamicType(identifier)?.tags ?? Declarations.tags(of: identifier)
    }

    /// The extension for a file of this type, without a dot; nil for abstract types.
    ///
    /// As with UTType, it is the first one in ``tags``. For a dynamic type without an extension it is taken from the
    /// system's shared-mime-info database, if that contains the type's MIME type.
    public var preferredFilenameExtension: String? {
        tags[.filenameExtension]?.first
            ?? databaseMatch.flatMap { SharedMimeInfo.current?.filenameExtensions(of: $0.mimeType).first }
    }

    /// The MIME type for this type; nil for abstract types.
    ///
    /// As with UTType, it is the first one in ``tags``. For a dynamic type without a MIME type it is taken from the
    /// system's shared-mime-info database, if that contains the type's extension.
    public var preferredMIMEType: String? { tags[.mimeType]?.first ?? databaseMatch?.mimeType }

    private var databaseMatch: SharedMimeInfo.Match? {
        DynamicType(identifier).flatMap { SharedMimeInfo.match(for: $0, identifier: identifier) }
    }
}

extension UniformType {
    /// The extensions for a file of this type, the preferred one first: its own, else those of the nearest supertype.
    /// For UTF-8 text it is `txt`.
    package var filenameExtensionsOfKind: [String] {
        for type in [self] + supertypeIdentifiers.map(UniformType.init(known:)) {
            if let tags = type.tags[.filenameExtension] ?? type.preferredFilenameExtension.map({ [$0] }) { return tags }
        }
        return []
    }

    /// Whether a name with this extension needs no other for this type: `jpg` for any image, `txt` for UTF-8 text.
    package func hasFilenameExtension(_ tag: String) -> Bool {
        filenameExtensionsOfKind.contains { Conformance.equal($0, tag) }
            || Self.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil).contains { $0.conforms(to: self) }
    }
}
