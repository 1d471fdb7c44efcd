/// Sent by a source: the session is elsewhere, or has other items. The answer is a proposal; until it has arrived, the
/// source sends no other move and no drop.
package struct Move: WireMessage {
    package static let kind = FrameKind.move

    /// The new location; none if the session is at no destination.
    package var location: Location?
    /// The sequence number of the proposal that answers.
    package var sequence: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "location", &location)
        visit(2, "sequence", &sequence)
    }
}
