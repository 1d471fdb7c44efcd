/// Sent by the broker: the session has entered the destination, which answers with a proposal. Sent by a destination: a
/// request to enter a session that was not directed to it.
package struct Enter: WireMessage {
    package static let kind = FrameKind.enter

    package var sequence: UInt64?
    package var location: Location?
    /// The version of the items that the proposal is for.
    package var version: UInt64?

    /// The session, if a destination sends this on its own stream.
    package var handle: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "sequence", &sequence)
        visit(2, "location", &location)
        visit(3, "version", &version)
        visit(4, "handle", &handle)
    }
}
