/// Opens a drag session: items and `commit` follow on the stream, then `begin`. Or opens an addition of items to a
/// session: items and `commit` follow.
package struct Drag: WireMessage {
    package static let kind = FrameKind.drag

    /// Whether a destination may propose to move the items; true if absent.
    package var allowsMove: Bool?
    /// Whether only the process that began the session may be its destination.
    package var isRestricted: Bool?
    /// Whether a destination of another process may propose to move the items; false if absent.
    package var movesBetweenProcesses: Bool?
    /// The client's session to which the items are added, instead of a new one.
    package var handle: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "allows_move", &allowsMove)
        visit(2, "is_restricted", &isRestricted)
        visit(3, "moves_between_processes", &movesBetweenProcesses)
        visit(4, "handle", &handle)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
