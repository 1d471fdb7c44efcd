/// The rules of conformance for the broker, the library and the command line.
///
/// The result depends only on the system's table and the arguments, never on declarations of the process.
package enum Conformance {
    /// Whether `identifier` conforms to `target`. The relation is reflexive and transitive, and ignores ASCII case.
    ///
    /// - Parameters:
    ///   - closure: the supertypes of `identifier` from its publisher; may be empty.
    ///   - edges: the declarations of this program. All edges may be followed, regardless of where they start.
    ///
    /// If neither edges that start at a supertype of `identifier` nor dynamic identifiers are involved, nothing is
    /// allocated. Otherwise the work is linear in the size of the arguments.
    package static func conforms(
        _ identifier: String,
        closure: [String],
        to target: String,
        edges: [(type: String, supertypes: [String])]
    ) -> Bool {
        if conformsAtOnce(identifier, closure: closure, to: target) { return true }
        if !DynamicType.isDynamic(identifier) && !closure.contains(where: DynamicType.isDynamic) {
            // With a closure, which an untrusted peer chooses, checking each edge could take time proportional to the
            // product of both lengths.
            let leadsOn = edges.contains { !closure.isEmpty || conformsAtOnce(identifier, closure: [], to: $0.type) }
            if !leadsOn { return false }
        }
        return SupertypeWalk(from: identifier, closure: closure, edges: edges).contains { equal($0, target) }
    }

    /// Whether the closure and the table alone show that the type conforms.
    private static func conformsAtOnce(_ identifier: String, closure: [String], to target: String) -> Bool {
        if equal(identifier, target) || closure.contains(where: { equal($0, target) }) { return true }
        guard let target = ConformanceTable.row(of: target) else { return false }
        return tableConforms(identifier, to: target) || closure.contains { tableConforms($0, to: target) }
    }

    /// Whether both name the same type: their bytes are equal, ignoring ASCII case. Allocates nothing.
    package static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.span.equalsFolded(right.utf8.span)
    }

    private static func tableConforms(_ identifier: String, to target: Int) -> Bool {
        guard let row = ConformanceTable.row(of: identifier) else { return false }
        return ConformanceTable.conforms(row, to: target)
    }
}
