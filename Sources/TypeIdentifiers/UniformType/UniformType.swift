/// A type of data: an identifier, what it conforms to, and its tags.
///
/// Types come from the system's table (``png``, ``init(_:)``), from this program's declarations
/// (``init(exportedAs:conformingTo:)``, ``declare(_:conformingTo:tags:)``), from tags (``init(filenameExtension:conformingTo:)``,
/// ``init(mimeType:conformingTo:)``), and from other programs over a pasteboard; the last carry what their publisher says
/// of them. Equality, hashing and coding are by identifier alone, without ASCII case.
public struct UniformType: Sendable {
    /// For example `public.png`.
    public let identifier: String
    /// What the publisher of the type says it conforms to, or of a dynamic type made here the MIME database; empty for
    /// types that are known here.
    package let closure: [String]

    /// A type received from elsewhere, with the supertypes its publisher sent. Nothing is kept but in this value.
    package init(identifier: String, supertypes: [String]) {
        self.identifier = identifier
        closure = supertypes
    }

    init(known identifier: String) {
        self.init(identifier: identifier, supertypes: [])
    }

    /// A dynamic type as this process sees it: with what its MIME database says of the tags.
    init(dynamic identifier: String, _ type: DynamicType) {
        self.init(
            identifier: identifier,
            supertypes: SharedMimeInfo.match(for: type, identifier: identifier)?.supertypes ?? []
        )
    }

    /// Whether the type has a declaration, here or where it came from: whether it is not dynamic.
    public var isDeclared: Bool { !isDynamic }

    /// Whether the identifier was made from a tag that no declared type has.
    public var isDynamic: Bool { DynamicType.isDynamic(identifier) }

    /// Whether the identifier is of the reserved family `public.`.
    public var isPublic: Bool { identifier.hasFoldedPrefix("public.") }

    /// Everything the type conforms to, directly or not, without itself.
    public var supertypes: Set<UniformType> {
        Set(supertypeIdentifiers.map(UniformType.init(known:)))
    }

    /// The whole closure without the type itself, depth first: what a publisher sends.
    package var supertypeIdentifiers: [String] {
        Array(SupertypeWalk(from: identifier, closure: closure, edges: Declarations.edges).dropFirst())
    }

    /// The closure as far as others cannot know it: empty for the types of the table.
    package var publishedSupertypes: [String] {
        ConformanceTable.row(of: identifier) == nil ? supertypeIdentifiers : []
    }

    /// Whether this is `type` or conforms to it, directly or not.
    public func conforms(to type: UniformType) -> Bool {
        Conformance.conforms(identifier, closure: closure, to: type.identifier, edges: Declarations.edges)
    }

    /// Whether this conforms to `type` and is another type.
    public func isSubtype(of type: UniformType) -> Bool {
        self != type && conforms(to: type)
    }

    /// Whether `type` conforms to this and is another type.
    public func isSupertype(of type: UniformType) -> Bool {
        type.isSubtype(of: self)
    }
}

extension UniformType: Hashable {
    /// Whether both have the same identifier, ASCII case aside.
    public static func == (left: UniformType, right: UniformType) -> Bool {
        Conformance.equal(left.identifier, right.identifier)
    }

    /// Hashes the identifier without ASCII case.
    public func hash(into hasher: inout Hasher) {
        IdentifierKey(identifier).hash(into: &hasher)
    }
}

extension UniformType: Codable {
    /// Reads an identifier, which need not be declared here.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for text that is no identifier.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let identifier = try container.decode(String.self)
        guard TypeIdentifier.isWellFormed(identifier) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "a type identifier is 1 to \(TypeIdentifier.maximumLength) bytes of letters, digits, -, . and _"
            )
        }
        self = UniformType(identifier) ?? UniformType(importedAs: identifier)
    }

    /// Writes the identifier as a single string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

extension UniformType: CustomStringConvertible {
    /// The identifier.
    public var description: String { identifier }
}
