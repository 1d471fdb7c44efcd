internal import Synchronization

/// The types that this program declares, for the whole process.
///
/// Only the program's own calls add types. Supertypes that peers send are stored in values and released with them.
enum Declarations {
    /// The origin of a declaration. A higher rank replaces a lower one; within a rank the first declaration stays.
    enum Rank: Int, Comparable {
        case imported
        case exported
        case described

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    /// `edges`, `ranks` and `tags` have the same indices.
    private struct State {
        var indices: [IdentifierKey: Int] = [:]
        var edges: [(type: String, supertypes: [String])] = []
        var ranks: [Rank] = []
        var tags: [[UniformType.TagClass: [String]]] = []
    }

    private static let state = Guarded(State())

    static var edges: [(type: String, supertypes: [String])] {
        state.withLock { $0.edges }
    }

    static func contains(_ identifier: String) -> Bool {
        state.withLock { $0.indices[IdentifierKey(identifier)] != nil }
    }

    static func tags(of identifier: String) -> [UniformType.TagClass: [String]] {
        state.withLock { state in state.indices[IdentifierKey(identifier)].map { state.tags[$0] } ?? [:] }
    }

    /// The declared types with this tag: higher ranks first, then in the order of declaration.
    static func types(tagged tag: String, _ tagClass: UniformType.TagClass) -> [String] {
        let state = state.withLock { $0 }
        return state.edges.indices
            .filter { index in
                state.tags[index][tagClass, default: []].contains { Conformance.equal($0, tag) }
            }
            .sorted { (state.ranks[$1], $0) < (state.ranks[$0], $1) }
            .map { state.edges[$0].type }
    }

    /// Adds a declaration. Identifiers that the system declares, dynamic identifiers, and those that no peer would
    /// accept are ignored.
    static func add(
        _ identifier: String,
        supertypes: [String],
        tags: [UniformType.TagClass: [String]] = [:],
        rank: Rank
    ) {
        guard TypeIdentifier.isWellFormed(identifier), !DynamicType.isDynamic(identifier),
            ConformanceTable.row(of: identifier) == nil
        else { return }
        state.withLock { state in
            let key = IdentifierKey(identifier)
            if let index = state.indices[key] {
                guard rank > state.ranks[index] else { return }
                state.edges[index].supertypes = supertypes
                state.ranks[index] = rank
                state.tags[index] = tags
            } else {
                state.indices[key] = state.edges.count
                state.edges.append((identifier, supertypes))
                state.ranks.append(rank)
                state.tags.append(tags)
            }
        }
    }
}
