/// Reports that the session has moved within a destination, or has other items. The answer is a proposal.
package struct Update: WireMessage {
    package static let kind = FrameKind.update

    package var sequence: UInt64?
    package var location: Location?
    package var version: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "sequence", &sequence)
        visit(2, "location", &location)
        visit(3, "version", &version)
    }
}
