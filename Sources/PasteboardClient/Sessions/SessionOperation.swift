/// What a drop does, as messages number it.
package enum SessionOperation: UInt32, Sendable {
    case cancel
    case forbidden
    case copy
    case move

    /// Of a message. What a later version may send does nothing here.
    package init(received: UInt32?) {
        self = received.flatMap(SessionOperation.init) ?? .cancel
    }

    /// Whether bytes go anywhere.
    package var transfers: Bool { self == .copy || self == .move }
}
