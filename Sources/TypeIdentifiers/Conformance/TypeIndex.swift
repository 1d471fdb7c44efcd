extension Conformance {
    /// An index from types to the members of a list that conform to them: one look-up finds all members for a type.
    ///
    /// It is for the representations of an item. An untrusted peer determines their number, their supertypes, and the
    /// types that are looked up, and a dynamic identifier contains dozens of names. Only the creation of this value
    /// depends on the size of the input.
    package struct TypeIndex: Sendable {
        /// The greatest number of members: a set of members is a number with one bit for each.
        package static let capacity = 64

        /// The rows of the table to which a member conforms.
        private enum Rows: Sendable {
            /// A type of the table for which the publisher sent no supertypes, as for most types. The table has the rest.
            case row(Int)
            /// One bit for each row.
            case walked([UInt64], own: Int?)
        }

        /// The members with a type that is not in the table.
        private struct Name: Sendable {
            /// The members that conform to it.
            var conforming: UInt64 = 0
            /// The members whose own type it is.
            var own: UInt64 = 0
        }

        private var rows: [Rows] = []
        private var names: [IdentifierKey: Name] = [:]
        private var extensions: (edges: Edges, members: [UInt64])?
        /// The approximate number of bytes that this holds in addition to the identifiers and supertypes of its members,
        /// for the names in dynamic identifiers. They are charged to a peer.
        package private(set) var byteCount: UInt64 = 0

        package init() {}

        package var count: Int { rows.count }

        /// Adds a member. A member beyond the capacity is never found.
        ///
        /// - Parameter closure: its supertypes from its publisher; may be empty.
        package mutating func append(_ identifier: String, closure: [String]) {
            guard count < Self.capacity else { return }
            let own = ConformanceTable.row(of: identifier)
            if closure.isEmpty, let own { return rows.append(.row(own)) }
            let member: UInt64 = 1 << UInt64(count)
            var conforming: [UInt64] = []
            var nameCount = 0
            for name in SupertypeWalk(from: identifier, closure: closure, edges: []) {
                if let row = ConformanceTable.row(of: name) {
                    while conforming.count <= row / 64 { conforming.append(0) }
                    conforming[row / 64] |= 1 << UInt64(row % 64)
                } else {
                    names[IdentifierKey(name), default: Name()].conforming |= member
                    nameCount += 1
                }
            }
            if own == nil { names[IdentifierKey(identifier), default: Name()].own |= member }
            byteCount += 64 * UInt64(max(0, nameCount - closure.count - 1))
            rows.append(.walked(conforming, own: own))
        }

        // MARK: Looking up

        /// The members whose own type this is.
        package func members(named type: TypeName) -> UInt64 {
            guard let row = type.row else { return names.isEmpty ? 0 : names[type.key]?.own ?? 0 }
            var members: UInt64 = 0
            for index in rows.indices {
                switch rows[index] {
                case .row(row), .walked(_, own: row): members |= 1 << UInt64(index)
                default: break
                }
            }
            return members
        }

        /// The members that conform to a type. The result is that of ``Conformance/conforms(_:closure:to:edges:)`` for each.
        package func members(conformingTo type: TypeName) -> UInt64 {
            var members: UInt64 = 0
            if let row = type.row {
                for index in rows.indices where conforms(rows[index], to: row) { members |= 1 << UInt64(index) }
            } else if !names.isEmpty {
                members = names[type.key]?.conforming ?? 0
            }
            if let extensions, let index = extensions.edges.index(of: type) { members |= extensions.members[index] }
            return members
        }

        private func conforms(_ member: Rows, to row: Int) -> Bool {
            switch member {
            case .row(let own): ConformanceTable.conforms(own, to: row)
            case .walked(let rows, _): row / 64 < rows.count && rows[row / 64] & (1 << UInt64(row % 64)) != 0
            }
        }

        // MARK: Edges

        /// Adds the supertypes in edges. All edges may be followed, regardless of where they start.
        package func adding(_ edges: Edges) -> TypeIndex {
            var members = [UInt64](repeating: 0, count: edges.nameCount)
            var starting = edges.starts.map { self.members(conformingTo: $0) }
            var pending = Array(starting.indices)
            while let start = pending.popLast() {
                for name in edges.reached[start] where starting[start] & ~members[name] != 0 {
                    members[name] |= starting[start]
                    guard let next = edges.start(of: name), members[name] & ~starting[next] != 0 else { continue }
                    starting[next] |= members[name]
                    pending.append(next)
                }
            }
            var extended = self
            extended.extensions = (edges, members)
            return extended
        }
    }

    /// An identifier that is looked up in an index.
    package struct TypeName: Sendable {
        fileprivate let key: IdentifierKey
        fileprivate let row: Int?

        package init(_ identifier: String) {
            key = IdentifierKey(identifier)
            row = ConformanceTable.row(of: identifier)
        }
    }

    /// The supertypes that a destination adds to types, expanded once for all types.
    package struct Edges: Sendable {
        /// The types at which edges start, once each.
        fileprivate private(set) var starts: [TypeName] = []
        /// For each start, the indices of all names that its edges lead to without another edge.
        fileprivate private(set) var reached: [[Int]] = []
        /// The index of each name that an edge leads to or starts at.
        private var indices: [IdentifierKey: Int] = [:]
        /// For each name, the index of the start with that name.
        private var startIndices: [Int?] = []
        /// The number of names that the edges lead to, which is the greatest cost of a check.
        package private(set) var reachedCount = 0

        /// - Parameter limit: the names are not counted further beyond this. Such edges are not complete.
        package init(_ edges: [(type: String, supertypes: [String])], limit: Int = .max) {
            for edge in edges {
                let name = add(edge.type)
                let start = startIndices[name] ?? starts.count
                if start == starts.count {
                    startIndices[name] = start
                    starts.append(TypeName(edge.type))
                    reached.append([])
                }
                for identifier in SupertypeWalk(from: edge.type, closure: edge.supertypes, edges: []) {
                    guard reachedCount <= limit else { return }
                    reached[start].append(add(identifier))
                    reachedCount += 1
                }
            }
        }

        private mutating func add(_ identifier: String) -> Int {
            let key = IdentifierKey(identifier)
            if let index = indices[key] { return index }
            indices[key] = startIndices.count
            startIndices.append(nil)
            return startIndices.count - 1
        }

        package var isEmpty: Bool { starts.isEmpty }
        fileprivate var nameCount: Int { startIndices.count }

        fileprivate func index(of type: TypeName) -> Int? { indices[type.key] }
        fileprivate func start(of name: Int) -> Int? { startIndices[name] }
    }
}
