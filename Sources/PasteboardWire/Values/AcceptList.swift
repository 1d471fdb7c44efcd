package import TypeIdentifiers

/// The types that a load accepts, and the only rule by which a representation is chosen. The broker uses it to answer
/// loads, and the library to answer whether a load is possible.
package struct AcceptList: Sendable {
    /// A type to choose from, with its supertypes from its publisher and from the table.
    package protocol Candidate {
        var type: String { get }
        var supertypeClosure: Conformance.SupertypeClosure { get }
    }

    @usableFromInline let accepts: [Accept]
    @usableFromInline let prefersReader: Bool
    @usableFromInline let edges: Conformance.Edges

    /// - Parameter edges: the supertypes that the destination declares for its own types, at most
    ///   `WireLimits.edgeSupertypes` in all.
    package init(_ accepts: [Accept], preference: Preference?, edges: [TypeEdges]) throws(Failure) {
        let count = edges.reduce(0) { $0 + $1.supertypes.count }
        guard count <= WireLimits.edgeSupertypes else {
            throw Failure(
                .limitExceeded,
                "the load declares \(count) supertypes; at most \(WireLimits.edgeSupertypes) are allowed"
            )
        }
        self.accepts = accepts
        prefersReader = preference == .acceptList
        self.edges = Conformance.Edges(edges.map { (type: $0.type, supertypes: $0.supertypes) })
        // Dynamic identifiers in the edges contain many more names.
        guard self.edges.nameCount <= WireLimits.edgeNames else {
            throw Failure(
                .limitExceeded,
                "the supertypes that the load declares lead to \(self.edges.nameCount) names; at most "
                    + "\(WireLimits.edgeNames) are allowed"
            )
        }
    }

    /// The index in `candidates` of the chosen type, among those that `isOffered` allows; nil if none fits. An empty
    /// list chooses the first candidate. A list with a single entry prefers the type itself to types that conform to
    /// it.
    ///
    /// Without edges this allocates nothing.
    @inlinable
    @inline(__always)
    package func choose<Offered: Candidate>(among candidates: [Offered], where isOffered: (Offered) -> Bool) -> Int? {
        guard !accepts.isEmpty else { return candidates.firstIndex(where: isOffered) }
        // A load that accepts a single type gets that type if it is offered.
        if accepts.count == 1, accepts[0].match ?? .absent == .conforming {
            for index in 0..<candidates.count where isOffered(candidates[index]) {
                if Conformance.equal(candidates[index].type, accepts[0].type) { return index }
            }
        }
        let closures = self.closures(of: candidates)
        if prefersReader {
            for accept in accepts {
                for index in 0..<candidates.count where isOffered(candidates[index]) {
                    if fits(candidates[index], accept, closures.isEmpty ? nil : closures[index]) { return index }
                }
            }
        } else {
            for index in 0..<candidates.count where isOffered(candidates[index]) {
                for accept in accepts {
                    if fits(candidates[index], accept, closures.isEmpty ? nil : closures[index]) { return index }
                }
            }
        }
        return nil
    }

    /// The supertype closure of each candidate. With edges, one search for each candidate then serves all entries of
    /// the list.
    @inlinable
    func closures<Offered: Candidate>(of candidates: [Offered]) -> [Conformance.SupertypeClosure] {
        guard !edges.isEmpty else { return [] }
        return candidates.map { $0.supertypeClosure.adding(edges) }
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
