extension UniformType {
    /// Declares a type that this program owns.
    ///
    /// The declaration holds for the whole process. Without `parent` the type conforms to ``data``, unless
    /// ``declare(_:conformingTo:tags:)`` declares otherwise. The first declaration of an identifier wins, and the
    /// system's declarations win over all others.
    public init(exportedAs identifier: String, conformingTo parent: UniformType? = nil) {
        Declarations.add(identifier, supertypes: (parent ?? .data).named, rank: .exported)
        self.init(known: identifier)
    }

    /// Names a type that another program owns.
    ///
    /// This never fails, so that a destination can name types that it does not know. With `parent` this declares the
    /// type, and a declaration by its owner replaces it. Without `parent` nothing is declared: the type conforms to
    /// ``data``, unless it is declared elsewhere in this process.
    public init(importedAs identifier: String, conformingTo parent: UniformType? = nil) {
        if let parent {
            Declarations.add(identifier, supertypes: parent.named, rank: .imported)
            self.init(known: identifier)
        } else {
            self =
                UniformType(identifier) ?? UniformType(identifier: identifier, supertypes: UniformType.data.named)
        }
    }

    /// Declares a type of this program with all its supertypes and tags, like the property list of a bundle on other
    /// systems.
    ///
    /// The declaration holds for the whole process. It replaces those of the two initializers, earlier or later ones.
    /// The first call for an identifier wins, and the system's declarations win over all others. The tags of a class
    /// are in the order of preference. Text that is no identifier (ASCII letters, digits, `-`, `.`, `_` and characters
    /// from U+00A1 on) declares nothing, and a write with such a type is refused.
    @discardableResult
    public static func declare(
        _ identifier: String,
        conformingTo supertypes: [UniformType],
        tags: [TagClass: [String]] = [:]
    ) -> UniformType {
        Declarations.add(identifier, supertypes: supertypes.flatMap(\.named), tags: tags, rank: .described)
        return UniformType(known: identifier)
    }

    /// The identifier and, for a type from another program, the supertypes from its publisher.
    private var named: [String] { [identifier] + closure }
}
