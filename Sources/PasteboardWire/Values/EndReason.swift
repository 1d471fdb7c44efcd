/// The reason why a publication has ended.
package struct EndReason: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Other contents were written to its pasteboard.
    @inlinable package static var replaced: EndReason { EndReason(rawValue: 1) }
    /// Its pasteboard was cleared.
    @inlinable package static var cleared: EndReason { EndReason(rawValue: 2) }

    /// Its time was over.
    @inlinable package static var expired: EndReason { EndReason(rawValue: 3) }
    /// Every permitted load was made.
    @inlinable package static var loaded: EndReason { EndReason(rawValue: 4) }

    package static var highest: UInt32 { 4 }
    package static var names: [String] { ["unspecified", "replaced", "cleared", "expired", "loaded"] }
}

/// The kind of a client, as in its hello. An absent role means a program.
package struct Role: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A program on this machine.
    @inlinable package static var program: Role { Role(rawValue: 1) }
    /// A link to the broker of another machine. Reserved: no client of this project sends it yet.
    @inlinable package static var link: Role { Role(rawValue: 2) }

    package static var highest: UInt32 { 2 }
    package static var names: [String] { ["unspecified", "program", "link"] }
}
