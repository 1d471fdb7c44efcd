package import TypeIdentifiers

/// What a load takes, and the one way in which a representation is chosen by it: the broker's answer to a load and a
/// library's answer to "could I load this" are the same question.
package struct AcceptList: Sendable {
    /// What is chosen among: a type, and all that it conforms to, by its publisher and by the table.
    package protocol Candidate {
        var type: String { get }
        var supertypeClosure: Conformance.SupertypeClosure { get }
    }

    @usableFromInline let accepts: [Accept]
    @usableFromInline let prefersReader: Bool
    @usableFromInline let edges: Conformance.Edges

    /// - Parameter edges: what the destination declares of types of its own, within `WireLimits.edgeSupertypes` in all.
    package init(_ accepts: [Accept], preference: Preference?, edges: [TypeEdges]) throws(Failure) {
        let count = edges.reduce(0) { $0 + $1.supertypes.count }
        guard count <= WireLimits.edgeSupertypes else {
            throw Failure(
                .limitExceeded,
                "the load lists \(count) supertypes of its own; at most \(WireLimits.edgeSupertypes) are allowed"
            )
        }
        self.accepts = accepts
        self.prefersReader = preference == .acceptList
        self.edges = Conformance.Edges(edges.map { (type: $0.type, supertypes: $0.supertypes) })
        // Dynamic identifiers among them spell out many more.
        guard self.edges.nameCount <= WireLimits.edgeNames else {
            throw Failure(
                .limitExceeded,
                "supertypes of the load's own lead to \(self.edges.nameCount) names; at most \(WireLimits.edgeNames) are "
                    + "allowed"
            )
        }
    }

    /// The place in `candidates` of the type that is given, among those that `isOffered`; nil when none fits. An empty
    /// list takes the first, one with a single entry the very type before any that conforms to it.
    ///
    /// Without edges nothing is allocated.
    @inlinable
    @inline(__always)
    package func choose<Offered: Candidate>(among candidates: [Offered], where isOffered: (Offered) -> Bool) -> Int? {
        guard !self.accepts.isEmpty else { return candidates.firstIndex(where: isOffered) }
        // Who asks for one type and no other gets that, if it is there.
        if self.accepts.count == 1, self.accepts[0].match ?? .absent == .conforming {
            for index in 0..<candidates.count where isOffered(candidates[index]) {
                if Conformance.equal(candidates[index].type, self.accepts[0].type) { return index }
            }
        }
        let closures = self.closures(of: candidates)
        if self.prefersReader {
            for accept in self.accepts {
                for index in 0..<candidates.count where isOffered(candidates[index]) {
                    if self.fits(candidates[index], accept, closures.isEmpty ? nil : closures[index]) { return index }
                }
            }
        } else {
            for index in 0..<candidates.count where isOffered(candidates[index]) {
                for accept in self.accepts {
                    if self.fits(candidates[index], accept, closures.isEmpty ? nil : closures[index]) { return index }
                }
            }
        }
        return nil
    }

    /// With edges one walk over them for each candidate serves all entries of the list.
    @inlinable
    func closures<Offered: Candidate>(of candidates: [Offered]) -> [Conformance.SupertypeClosure] {
        guard !self.edges.isEmpty else { return [] }
        return candidates.map { $0.supertypeClosure.adding(self.edges) }
    }

    @inlinable
    @inline(__always)
    func fits(_ candidate: some Candidate, _ accept: Accept, _ supertypeClosure: Conformance.SupertypeClosure?) -> Bool
    {
        switch accept.rule {
        case .exact: Conformance.equal(candidate.type, accept.type)
        case .any: true
        case .conforming:
            Conformance.equal(candidate.type, accept.type)
                || (supertypeClosure ?? candidate.supertypeClosure).conforms(to: accept.type)
        }
    }
}
