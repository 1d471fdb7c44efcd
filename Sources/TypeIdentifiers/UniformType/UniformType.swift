/// A type of data: an identifier, its supertypes and its tags.
///
/// Types are obtained from the system's table (``png``, ``init(_:)``), from this program's declarations
/// (``init(exportedAs:conformingTo:)``, ``declare(_:conformingTo:tags:)``), from tags
/// (``init(filenameExtension:conformingTo:)``, ``init(mimeType:conformingTo:)``), and from other programs over a
/// pasteboard. Types from other programs contain the supertypes that their publisher sent. Equality, hashing and coding
/// use only the identifier, without ASCII case.
public struct UniformType: Sendable {
    /// The name of the type, for example `public.png`.
    public let identifier: String
    /// The supertypes that the publisher of the type sent or, for a dynamic type made here, those from the MIME
    /// database. Empty for types that are declared here.
    package let closure: [String]

    /// A type received from another process, with the supertypes that its publisher sent. They are stored only in this
    /// value.
    package init(identifier: String, supertypes: [String]) {
        self.identifier = identifier
        closure = supertypes
    }

    init(known identifier: String) {
        self.init(identifier: identifier, supertypes: [])
    }

    /// A dynamic type with the supertypes that this process's MIME database has for its tags.
    init(dynamic identifier: String, _ type: DynamicType) {
        self.init(
            identifier: identifier,
            supertypes: SharedMimeInfo.match(for: type, identifier: identifier)?.supertypes ?? []
        )
    }

    /// Whether the type is declared, here or in the program that owns it: true for all types except dynamic ones.
    public var isDeclared: Bool { !isDynamic }

    /// The identifiers of the system's table, in order.
    package static var systemIdentifiers: [String] { ConformanceTable.identifiers }

    /// Whether the system's table contains the type.
    package var isSystemDeclared: Bool { ConformanceTable.row(of: identifier) != nil }

    /// Whether the identifier was derived from a tag that no declared type has.
    public var isDynamic: Bool { DynamicType.isDynamic(identifier) }

    /// Whether the identifier begins with the reserved prefix `public.`.
    public var isPublic: Bool { identifier.hasFoldedPrefix("public.") }

    /// All types that this type conforms to, directly or indirectly, without itself.
    public var supertypes: Set<UniformType> {
        Set(supertypeIdentifiers.map(UniformType.init(known:)))
    }

    /// The supertype closure without the type itself, depth first, as a publisher sends it.
    package var supertypeIdentifiers: [String] {
        Array(SupertypeWalk(from: identifier, closure: closure, edges: Declarations.edges).dropFirst())
    }

    /// The part of the closure that other programs cannot look up: empty for the types of the table.
    package var publishedSupertypes: [String] {
        isSystemDeclared ? [] : supertypeIdentifiers
    }

    /// Whether this is `type` or conforms to it, directly or indirectly.
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
    /// Whether both have the same identifier, ignoring ASCII case.
    public static func == (left: UniformType, right: UniformType) -> Bool {
        Conformance.equal(left.identifier, right.identifier)
    }

    /// Hashes the identifier without ASCII case.
    public func hash(into hasher: inout Hasher) {
        IdentifierKey(identifier).hash(into: &hasher)
    }
}

extension UniformType: Codable {
    /// Decodes an identifier, which need not be declared here.
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

    /// Encodes the identifier as a single string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

extension UniformType: CustomStringConvertible {
    /// The identifier.
    public var description: String { identifier }
}
