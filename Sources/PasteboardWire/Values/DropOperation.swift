/// The effect of a drop: proposed by a destination, decided by the broker.
package struct DropOperation: WireEnumeration {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Nothing; the session is cancelled.
    @inlinable package static var cancel: DropOperation { DropOperation(rawValue: 0) }
    /// Nothing, although the destination takes such items at other times.
    @inlinable package static var forbidden: DropOperation { DropOperation(rawValue: 1) }
    /// The destination receives a copy.
    @inlinable package static var copy: DropOperation { DropOperation(rawValue: 2) }
    /// The destination receives the items, and the source deletes them after that.
    @inlinable package static var move: DropOperation { DropOperation(rawValue: 3) }

    package static var highest: UInt32 { 3 }
    package static var names: [String] { ["cancel", "forbidden", "copy", "move"] }

    /// Whether bytes are transferred. An operation of a later version transfers nothing here.
    package var transfers: Bool { self == .copy || self == .move }
}

extension DropOperation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .forbidden: "forbidden"
        case .copy: "copy"
        case .move: "move"
        default: "cancel"
        }
    }
}
