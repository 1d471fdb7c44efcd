import TypeIdentifiers

/// What a load takes, and the one way in which a representation is chosen by it: the broker's answer to a load and a
/// library's answer to "could I load this" are the same question.
package struct AcceptList: Sendable {
    private let accepts: [Accept]
    private let prefersReader: Bool
    private let edges: [(type: String, supertypes: [String])]

    /// - Parameter edges: what the destination declares of types of its own, within `WireLimits.edgeSupertypes` in all.
    package init(_ accepts: [Accept], preference: UInt32?, edges: [TypeEdges]) throws(Failure) {
        let count = edges.reduce(0) { $0 + $1.supertypes.count }
        guard count <= WireLimits.edgeSupertypes else {
            throw Failure(
                .limitExceeded,
                "the load lists \(count) supertypes of its own; at most \(WireLimits.edgeSupertypes) are allowed"
            )
        }
        self.accepts = accepts
        self.prefersReader = preference == 1
        self.edges = edges.map { (type: $0.type, supertypes: $0.supertypes) }
    }

    /// The place in `candidates` of the type that is given; nil when none fits. An empty list takes the first.
    package func choose(among candidates: [(type: String, supertypes: [String])]) -> Int? {
        guard !self.accepts.isEmpty else { return candidates.isEmpty ? nil : 0 }
        // With edges one walk serves all entries of the list; without, the table answers and nothing is allocated.
        let reaches =
            self.edges.isEmpty
            ? [] : candidates.map { Conformance.Reach(of: $0.type, closure: $0.supertypes, edges: self.edges) }
        func fits(_ index: Int, _ accept: Accept) -> Bool {
            let candidate = candidates[index]
            switch accept.match ?? 0 {
            case 1: return Conformance.equal(candidate.type, accept.type)
            case 2: return true
            default:
                guard reaches.isEmpty else { return reaches[index].conforms(to: accept.type) }
                return Conformance.conforms(
                    candidate.type,
                    closure: candidate.supertypes,
                    to: accept.type,
                    edges: []
                )
            }
        }
        guard self.prefersReader else {
            return candidates.indices.first { index in self.accepts.contains { fits(index, $0) } }
        }
        for accept in self.accepts {
            if let index = candidates.indices.first(where: { fits($0, accept) }) { return index }
        }
        return nil
    }
}
