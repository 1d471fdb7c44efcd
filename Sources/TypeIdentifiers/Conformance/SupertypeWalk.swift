/// All types that a type conforms to, itself first, each name once, depth first.
///
/// The walk follows the publisher's closure, the edges of the caller, the table, and the supertypes in dynamic
/// identifiers. Names may be from untrusted peers: each is expanded once, so cycles end, and the work is linear in the
/// input.
struct SupertypeWalk: Sequence, IteratorProtocol {
    private let edges: [(type: String, supertypes: [String])]
    private var edgesByType: [IdentifierKey: [Int]] = [:]
    private var seen: Set<IdentifierKey> = []
    private var pending: [String]

    init(from identifier: String, closure: [String], edges: [(type: String, supertypes: [String])]) {
        self.edges = edges
        for (index, edge) in edges.enumerated() {
            edgesByType[IdentifierKey(edge.type), default: []].append(index)
        }
        pending = closure.reversed()
        pending.append(identifier)
    }

    mutating func next() -> String? {
        while let identifier = pending.popLast() {
            let key = IdentifierKey(identifier)
            guard seen.insert(key).inserted else { continue }
            if let row = ConformanceTable.row(of: identifier) {
                pending.append(contentsOf: ConformanceTable.supertypes(of: row).reversed())
            } else if let dynamic = DynamicType(identifier) {
                pending.append(contentsOf: dynamic.supertypes.reversed())
            }
            for index in edgesByType[key, default: []].reversed() {
                pending.append(contentsOf: edges[index].supertypes.reversed())
            }
            return identifier
        }
        return nil
    }
}
