/// Reports that the session has entered the destination. The answer is a proposal.
package struct Enter: WireMessage {
    package static let kind = FrameKind.enter

    package var sequence: UInt64?
    package var location: Location?
    /// The version of the items that the proposal is for.
    package var version: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "sequence", &sequence)
        visit(2, "location", &location)
        visit(3, "version", &version)
    }
}
