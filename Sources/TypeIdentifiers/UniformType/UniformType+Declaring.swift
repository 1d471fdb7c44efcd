extension UniformType {
    /// A type that this program owns.
    ///
    /// Process wide. Without `parent`, and unless ``declare(_:conformingTo:tags:)`` says otherwise, it conforms to ``data``.
    /// The first declaration of an identifier wins, and the system's wins over any.
    public init(exportedAs identifier: String, conformingTo parent: UniformType? = nil) {
        Declarations.add(identifier, supertypes: (parent ?? .data).named, rank: .exported)
        self.init(known: identifier)
    }

    /// A type that another program owns.
    ///
    /// Never fails, so that a destination can name what it does not know. With `parent` this is a declaration that one of
    /// the owner replaces; without, the type conforms to ``data`` unless something here declares it, and nothing is kept.
    public init(importedAs identifier: String, conformingTo parent: UniformType? = nil) {
        if let parent {
            Declarations.add(identifier, supertypes: parent.named, rank: .imported)
            self.init(known: identifier)
        } else {
            self =
                UniformType(identifier) ?? UniformType(identifier: identifier, supertypes: UniformType.data.named)
        }
    }

    /// Declares a type of this program with all its supertypes and tags: what a bundle's property list says elsewhere.
    ///
    /// Process wide. It replaces what the two initializers declare, before or after; the first call for an identifier
    /// wins, and the system's declarations win over any. Tags of a class are in the order of preference. Text that is no
    /// identifier (letters, digits, `-`, `.` and `_`) declares nothing; a write that names it is refused.
    @discardableResult
    public static func declare(
        _ identifier: String,
        conformingTo supertypes: [UniformType],
        tags: [TagClass: [String]] = [:]
    ) -> UniformType {
        Declarations.add(identifier, supertypes: supertypes.flatMap(\.named), tags: tags, rank: .described)
        return UniformType(known: identifier)
    }

    /// The declarations of this program that make other types conform to one of `accepted`: the edges a load carries, so
    /// that the broker's answer is the one this process would give.
    package static func edges(toward accepted: [UniformType]) -> [(type: String, supertypes: [String])] {
        let edges = Declarations.edges
        return edges.filter { edge in
            accepted.contains { target in
                !Conformance.equal(edge.type, target.identifier)
                    && Conformance.conforms(edge.type, closure: [], to: target.identifier, edges: edges)
            }
        }
    }

    /// The identifier, and what its publisher says of it if it came from elsewhere.
    private var named: [String] { [identifier] + closure }
}
