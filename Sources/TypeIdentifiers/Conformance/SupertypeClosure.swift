extension Conformance {
    /// All that one type conforms to, walked once for many questions.
    ///
    /// For whoever asks about each pair of an offer and an accept list: a stranger chooses the size of both and of the
    /// closures, and a dynamic identifier spells out dozens of names. A question is a look-up; only the walk depends on
    /// what was sent.
    package struct SupertypeClosure: Sendable {
        private enum Form: Sendable {
            /// A type of the table of which its publisher says nothing more, as most are: the table has the answers.
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

        /// About how many bytes it holds beyond those of the arguments, which a stranger is to be charged for.
        package var byteCount: UInt64 {
            guard case .walked(let walk) = form else { return 0 }
            return 64 * UInt64(walk.spelledCount)
        }

        /// What ``Conformance/conforms(_:closure:to:edges:)`` answers for the same arguments. Allocates nothing.
        package func conforms(to target: String) -> Bool {
            let row = ConformanceTable.row(of: target)
            switch form {
            case .row(let own):
                return row.map { Int(own) == $0 || ConformanceTable.conforms(Int(own), to: $0) } ?? false
            case .walked(let walk): return walk.holds(IdentifierKey(target), row: row)
            }
        }

        /// Whether it conforms to one of several types. However many they are, the work is that of what it holds alone.
        package func conforms(toAny targets: Targets) -> Bool {
            switch form {
            case .row(let own): targets.conforming.contains(Int(own))
            case .walked(let walk): walk.meets(targets)
            }
        }

        /// With what edges add: any of them may be followed, whatever it starts from.
        ///
        /// The work is linear in what the edges reach.
        package func adding(_ edges: Edges) -> SupertypeClosure {
            switch form {
            case .row(let row):
                SupertypeClosure(Walk(of: ConformanceTable.identifiers[Int(row)], closure: []).adding(edges))
            case .walked(let walk): SupertypeClosure(walk.adding(edges))
            }
        }
    }

    fileprivate struct Walk: Sendable {
        /// Rows of the table, a bit each.
        private var rows: [UInt64] = []
        /// Names that the table does not have.
        private var names: Set<IdentifierKey> = []
        /// Those of edges, apart, so that `names` is shared and not copied for a load.
        private var added: Set<IdentifierKey> = []
        /// What of `names` was not sent as names: what dynamic identifiers spell.
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

        /// - Returns: whether it is new.
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

    /// Types that are asked about together, again and again.
    package struct Targets: Sendable {
        /// Those of the table, and names that it does not have.
        fileprivate let rows: [Int]
        fileprivate let names: Set<IdentifierKey>
        /// Rows of all that conform to one of them.
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

    /// What a destination adds to the supertypes of types, expanded once for all of them.
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
        private var places: [IdentifierKey: Int] = [:]
        /// By place: all that the edges from there lead to without another edge.
        fileprivate var reached: [[Name]] = []

        package init(_ edges: [(type: String, supertypes: [String])]) {
            for edge in edges {
                let start = Name(edge.type)
                let names = SupertypeWalk(from: edge.type, closure: edge.supertypes, edges: []).map(Name.init)
                if let place = places[start.key] {
                    reached[place] += names
                } else {
                    places[start.key] = starts.count
                    starts.append(start)
                    reached.append(names)
                }
            }
        }

        package var isEmpty: Bool { starts.isEmpty }

        /// How many names the edges lead to: what a question costs at most.
        package var nameCount: Int { reached.reduce(0) { $0 + $1.count } }

        fileprivate func index(of name: Name) -> Int? { places[name.key] }

        fileprivate func indices(from walk: Walk) -> [Int] {
            starts.indices.filter { walk.holds(starts[$0].key, row: starts[$0].row) }
        }
    }
}
