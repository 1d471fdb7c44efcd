/// The way in which an entry of an accept list matches the type of a representation.
package struct Match: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The type itself or a type that conforms to it.
    @inlinable package static var conforming: Match { Match(rawValue: 0) }
    /// The type itself only.
    @inlinable package static var exact: Match { Match(rawValue: 1) }
    /// Any type; the entry's own type does not matter.
    @inlinable package static var any: Match { Match(rawValue: 2) }

    package static var highest: UInt32 { 2 }
    package static var names: [String] { ["conforming", "exact", "any"] }
}

/// The side whose order decides when several representations fit.
package struct Preference: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The order of the item's representations, best first.
    @inlinable package static var source: Preference { Preference(rawValue: 0) }
    /// The order of the load's accept list.
    @inlinable package static var acceptList: Preference { Preference(rawValue: 1) }

    package static var highest: UInt32 { 1 }
    package static var names: [String] { ["source", "accept_list"] }
}
