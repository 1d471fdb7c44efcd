/// The one judge of conformance: what the broker, the library and the command line all ask.
///
/// Pure: it knows the system's table and its arguments, never what a process has declared.
package enum Conformance {
    /// Whether `identifier` conforms to `target`: reflexive, transitive, without ASCII case.
    ///
    /// - Parameters:
    ///   - closure: what the publisher of `identifier` says it conforms to; may be empty.
    ///   - edges: what the destination adds. Any edge may be followed, whatever it starts from.
    ///
    /// Where neither edges that lead on nor dynamic identifiers are involved nothing is allocated. Else the work is linear
    /// in the arguments.
    package static func conforms(
        _ identifier: String,
        closure: [String],
        to target: String,
        edges: [(type: String, supertypes: [String])]
    ) -> Bool {
        if conformsAtOnce(identifier, closure: closure, to: target) { return true }
        if !DynamicType.isDynamic(identifier) && !closure.contains(where: DynamicType.isDynamic) {
            // With a closure, which strangers choose, this look at each edge could take as long as both are.
            let leadsOn = edges.contains { !closure.isEmpty || conformsAtOnce(identifier, closure: [], to: $0.type) }
            if !leadsOn { return false }
        }
        return SupertypeWalk(from: identifier, closure: closure, edges: edges).contains { equal($0, target) }
    }

    /// By the closure and the table alone.
    private static func conformsAtOnce(_ identifier: String, closure: [String], to target: String) -> Bool {
        if equal(identifier, target) || closure.contains(where: { equal($0, target) }) { return true }
        guard let target = ConformanceTable.row(of: target) else { return false }
        return tableConforms(identifier, to: target) || closure.contains { tableConforms($0, to: target) }
    }

    /// Whether both name the same type: equal bytes, ASCII case aside. Allocates nothing.
    package static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.span.equalsFolded(right.utf8.span)
    }

    private static func tableConforms(_ identifier: String, to target: Int) -> Bool {
        guard let row = ConformanceTable.row(of: identifier) else { return false }
        return ConformanceTable.conforms(row, to: target)
    }
}
