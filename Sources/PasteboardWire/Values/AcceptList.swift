package import TypeIdentifiers

/// The types that a load or a destination accepts, and the only rule by which a representation is chosen. The broker
/// uses it to answer loads and to find destinations, and the command line to select items.
package struct AcceptList: Sendable {
    private let entries: [(rule: Accept.Rule, type: Conformance.TypeName)]
    private let prefersReader: Bool

    package init(_ accepts: [Accept], preference: Preference? = nil) {
        entries = accepts.map { ($0.rule, Conformance.TypeName($0.type)) }
        prefersReader = preference == .acceptList
    }

    /// Throws unless a client may send the entries: their values are known, and their types are type identifiers.
    package static func check(_ accepts: [Accept], preference: Preference? = nil) throws(Failure) {
        guard preference?.isKnown ?? true else {
            throw Failure(.invalidArgument, "preference \(preference?.rawValue ?? 0) is not defined")
        }
        for accept in accepts {
            let match = accept.match ?? .absent
            guard match.isKnown else {
                throw Failure(.invalidArgument, "match \(match.rawValue) is not defined")
            }
            if match != .any { try check(accept.type) }
        }
    }

    private static func check(_ type: String) throws(Failure) {
        guard !TypeIdentifier.isWellFormed(type) else { return }
        throw Failure(
            .invalidArgument,
            "'\(type.printable.prefix(utf8Count: WireLimits.name))' is not a type identifier: letters, digits, '-', '.' "
                + "and '_', at most \(WireLimits.typeIdentifier) bytes"
        )
    }

    package var count: Int { entries.count }

    /// The index of the chosen type, among those of the set `offered`; nil if none fits. An empty list chooses the
    /// first one. A list with a single entry prefers the type itself to types that conform to it.
    ///
    /// - Parameter offered: one bit for each member of `types`.
    package func choose(among types: Conformance.TypeIndex, offered: UInt64 = .max) -> Int? {
        let offered = offered & (types.count < 64 ? (1 << UInt64(types.count)) - 1 : .max)
        guard !entries.isEmpty else { return Self.first(of: offered) }
        // A load that accepts a single type gets that type if it is offered.
        if entries.count == 1, entries[0].rule == .conforming,
            let own = Self.first(of: types.members(named: entries[0].type) & offered)
        {
            return own
        }
        var fitting: UInt64 = 0
        for entry in entries {
            switch entry.rule {
            case .any: fitting |= offered
            case .exact: fitting |= types.members(named: entry.type) & offered
            case .conforming: fitting |= types.members(conformingTo: entry.type) & offered
            }
            if prefersReader, fitting != 0 { break }
        }
        return Self.first(of: fitting)
    }

    private static func first(of members: UInt64) -> Int? {
        members == 0 ? nil : members.trailingZeroBitCount
    }
}

extension Conformance.TypeIndex {
    /// The types of an item's representations, in their order.
    package init(_ representations: [Representation]) {
        self.init()
        for representation in representations { append(representation.type, closure: representation.supertypes) }
    }
}

extension Accept {
    /// The rule by which an entry fits a representation.
    enum Rule {
        case any
        case exact
        /// The type itself or a type that conforms to it. The broker refuses a number that this version does not know.
        case conforming
    }

    var rule: Rule {
        switch match ?? .absent {
        case .any: .any
        case .exact: .exact
        default: .conforming
        }
    }
}
