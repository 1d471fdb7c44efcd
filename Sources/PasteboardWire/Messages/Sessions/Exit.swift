/// Reports that the session has left the destination.
package struct Exit: WireMessage {
    package static let kind = FrameKind.exit

    /// The reason why the source has lost its destination. Absent if this is sent to a destination or by it.
    package var refusal: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "refusal", &refusal)
    }
}
