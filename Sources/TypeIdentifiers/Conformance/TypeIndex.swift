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
            /// A type of the table for which the publisher sent no supertypes, as for most types. The table has the
            /// rest.
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
        /// The approximate number of bytes that this holds in addition to the identifiers and supertypes of its
        /// members, for the names in dynamic identifiers. They are charged to a peer.
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

        /// The members that conform to a type. The result is that of ``Conformance/conforms(_:closure:to:edges:)`` for
        /// each, without edges.
        package func members(conformingTo type: TypeName) -> UInt64 {
            var members: UInt64 = 0
            if let row = type.row {
                for index in rows.indices where conforms(rows[index], to: row) { members |= 1 << UInt64(index) }
            } else if !names.isEmpty {
                members = names[type.key]?.conforming ?? 0
            }
            return members
        }

        private func conforms(_ member: Rows, to row: Int) -> Bool {
            switch member {
            case .row(let own): ConformanceTable.conforms(own, to: row)
            case .walked(let rows, _): row / 64 < rows.count && rows[row / 64] & (1 << UInt64(row % 64)) != 0
            }
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
}
