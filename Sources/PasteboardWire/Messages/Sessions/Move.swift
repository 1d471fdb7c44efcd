/// A pointer update from a source. The answer is a proposal.
package struct Move: WireMessage {
    package static let kind = FrameKind.move

    /// The new location; none if the session is at no destination.
    package var location: Location?
    /// The sequence number of the proposal that answers. A proposal with a later number answers it, too.
    package var sequence: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "location", &location)
        visit(2, "sequence", &sequence)
    }
}
