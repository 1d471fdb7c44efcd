import TypeIdentifiers

/// The types that a destination accepts, prepared for many checks.
///
/// It decides whether an ``AcceptList`` of the same entries would choose a representation. The list compares its
/// entries one by one, which is cheapest for a load: it has few entries, and nothing may be allocated. A drag session
/// checks thousands of representations, so the cost of one check must not depend on the number of entries.
package struct AcceptedTypes: Sendable {
    private let acceptsAny: Bool
    private let exact: Set<IdentifierKey>
    private let conforming: Conformance.Targets

    package init(_ accepts: [Accept]) {
        var exact: [String] = []
        var conforming: [String] = []
        var acceptsAny = accepts.isEmpty
        for accept in accepts {
            switch accept.rule {
            case .any: acceptsAny = true
            case .exact: exact.append(accept.type)
            case .conforming: conforming.append(accept.type)
            }
        }
        self.acceptsAny = acceptsAny
        self.exact = Set(exact.map { IdentifierKey($0) })
        self.conforming = Conformance.Targets(conforming)
    }

    package func contains(_ candidate: some AcceptList.Candidate) -> Bool {
        acceptsAny || (!exact.isEmpty && exact.contains(IdentifierKey(candidate.type)))
            || candidate.supertypeClosure.conforms(toAny: conforming)
    }
}

extension Accept {
    /// The rule by which an entry fits a representation, for accept lists and accepted types alike.
    @usableFromInline
    enum Rule {
        case any
        case exact
        /// The type itself or a type that conforms to it. A number that this version does not know means this too.
        case conforming
    }

    @inlinable var rule: Rule {
        switch match ?? .absent {
        case .any: .any
        case .exact: .exact
        default: .conforming
        }
    }
}
