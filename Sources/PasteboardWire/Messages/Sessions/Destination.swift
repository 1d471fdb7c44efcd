/// Opens a destination for drag sessions, which exists as long as the stream. The broker opens a stream for each
/// session that reaches it.
package struct Destination: WireMessage {
    package static let kind = FrameKind.destination

    /// The name to which sources direct their sessions.
    package var name: String = ""
    /// The types that the destination accepts; any type if there are none.
    package var accepts: [Accept] = []
    /// Whether the destination is only for sessions of its own process. Other processes do not see it.
    package var isOwnProcess: Bool?
    /// Whether a second session may enter before the first has ended.
    package var allowsSimultaneousSessions: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "name", &name)
        visit(2, "accepts", &accepts, most: WireLimits.accepts)
        visit(3, "is_own_process", &isOwnProcess)
        visit(4, "allows_simultaneous_sessions", &allowsSimultaneousSessions)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
