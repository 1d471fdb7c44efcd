extension Conformance {
    /// All types that one type conforms to, determined once for many checks.
    ///
    /// It is for callers that check each pair of an offer and an accept list. An untrusted peer determines the size of
    /// both and of the closures, and a dynamic identifier contains dozens of names. A check is a lookup. Only the
    /// creation of this value depends on the size of the input.
    package struct SupertypeClosure: Sendable {
        private enum Form: Sendable {
            /// A type of the table for which the publisher sent no supertypes, as for most types. Checks use the table.
            case row(UInt16)
            indirect case walked(Walk)
        }

        private let form: Form

        package init(of identifier: String, closure: [String]) {
            if closure.isEmpty, let row = ConformanceTable.row(of: identifier).flatMap(UInt16.init(exactly:)) {
                form = .row(row)
            } else {
                form = .walked(Walk(of: identifier, closure: closure))
            }
        }

        private init(_ walk: Walk) {
            form = .walked(walk)
        }

        /// The approximate number of bytes that this holds in addition to the arguments. They are charged to a peer.
        package var byteCount: UInt64 {
            guard case .walked(let walk) = form else { return 0 }
            return 64 * UInt64(walk.spelledCount)
        }

        /// Returns the same result as ``Conformance/conforms(_:closure:to:edges:)`` for the same arguments. Allocates
        /// nothing.
        package func conforms(to target: String) -> Bool {
            let row = ConformanceTable.row(of: target)
            switch form {
            case .row(let own):
                return row.map { Int(own) == $0 || ConformanceTable.conforms(Int(own), to: $0) } ?? false
            case .walked(let walk): return walk.holds(IdentifierKey(target), row: row)
            }
        }

        /// Whether the type conforms to one of several types. The work depends on the size of this closure, not on
        /// their number.
        package func conforms(toAny targets: Targets) -> Bool {
            switch form {
            case .row(let own): targets.conforming.contains(Int(own))
            case .walked(let walk): walk.meets(targets)
            }
        }

        /// Adds the supertypes in edges. All edges may be followed, regardless of where they start.
        ///
        /// The work is linear in the number of names that the edges lead to.
        package func adding(_ edges: Edges) -> SupertypeClosure {
            switch form {
            case .row(let row):
                SupertypeClosure(Walk(of: ConformanceTable.identifiers[Int(row)], closure: []).adding(edges))
            case .walked(let walk): SupertypeClosure(walk.adding(edges))
            }
        }
    }

    fileprivate struct Walk: Sendable {
        /// The rows of the table, one bit for each.
        private var rows: [UInt64] = []
        /// The names that are not in the table.
        private var names: Set<IdentifierKey> = []
        /// The names from edges. They are separate, so that loads share `names` instead of copying it.
        private var added: Set<IdentifierKey> = []
        /// The number of entries of `names` that were found in dynamic identifiers, and were not sent as names
        /// themselves.
        let spelledCount: Int

        init(of identifier: String, closure: [String]) {
            for name in SupertypeWalk(from: identifier, closure: closure, edges: []) {
                if let row = ConformanceTable.row(of: name) {
                    _ = Self.insert(row, into: &rows)
                } else {
                    names.insert(IdentifierKey(name))
                }
            }
            spelledCount = max(0, names.count - closure.count - 1)
        }

        func meets(_ targets: Targets) -> Bool {
            targets.rows.contains { holdsRow($0) } || names.contains { targets.names.contains($0) }
                || added.contains { targets.names.contains($0) }
        }

        private func holdsRow(_ row: Int) -> Bool {
            row / 64 < rows.count && rows[row / 64] & (1 << UInt64(row % 64)) != 0
        }

        func adding(_ edges: Edges) -> Walk {
            var result = self
            var pending = edges.indices(from: self)
            while let index = pending.popLast() {
                for name in edges.reached[index] where result.insert(name) {
                    if let next = edges.index(of: name) { pending.append(next) }
                }
            }
            return result
        }

        func holds(_ key: IdentifierKey, row: Int?) -> Bool {
            guard let row else { return names.contains(key) || added.contains(key) }
            return holdsRow(row)
        }

        /// - Returns: whether the name is new.
        private mutating func insert(_ name: Edges.Name) -> Bool {
            if let row = name.row { return Self.insert(row, into: &rows) }
            return !names.contains(name.key) && added.insert(name.key).inserted
        }

        private static func insert(_ row: Int, into rows: inout [UInt64]) -> Bool {
            while rows.count <= row / 64 { rows.append(0) }
            let bit: UInt64 = 1 << UInt64(row % 64)
            defer { rows[row / 64] |= bit }
            return rows[row / 64] & bit == 0
        }
    }

    /// Types that are checked together many times.
    package struct Targets: Sendable {
        /// The rows of those in the table. `names` contains the others.
        fileprivate let rows: [Int]
        fileprivate let names: Set<IdentifierKey>
        /// The rows of all types that conform to one of them.
        fileprivate let conforming: Set<Int>

        package init(_ identifiers: [String]) {
            let rows = Set(identifiers.compactMap { ConformanceTable.row(of: $0) })
            self.rows = rows.sorted()
            self.names = Set(identifiers.filter { ConformanceTable.row(of: $0) == nil }.map(IdentifierKey.init))
            self.conforming = Set(
                ConformanceTable.identifiers.indices.filter { row in
                    rows.contains(row) || rows.contains { ConformanceTable.conforms(row, to: $0) }
                }
            )
        }
    }

    /// The supertypes that a destination adds to types, expanded once for all types.
    package struct Edges: Sendable {
        fileprivate struct Name: Sendable {
            let key: IdentifierKey
            let row: Int?

            init(_ identifier: String) {
                key = IdentifierKey(identifier)
                row = ConformanceTable.row(of: identifier)
            }
        }

        private var starts: [Name] = []
        private var startIndices: [IdentifierKey: Int] = [:]
        /// For each start, all names that its edges lead to without another edge.
        fileprivate var reached: [[Name]] = []

        package init(_ edges: [(type: String, supertypes: [String])]) {
            for edge in edges {
                let start = Name(edge.type)
                let names = SupertypeWalk(from: edge.type, closure: edge.supertypes, edges: []).map(Name.init)
                if let index = startIndices[start.key] {
                    reached[index] += names
                } else {
                    startIndices[start.key] = starts.count
                    starts.append(start)
                    reached.append(names)
                }
            }
        }

        package var isEmpty: Bool { starts.isEmpty }

        /// The number of names that the edges lead to, which is the greatest cost of a check.
        package var nameCount: Int { reached.reduce(0) { $0 + $1.count } }

        fileprivate func index(of name: Name) -> Int? { startIndices[name.key] }

        fileprivate func indices(from walk: Walk) -> [Int] {
            starts.indices.filter { walk.holds(starts[$0].key, row: starts[$0].row) }
        }
    }
}
