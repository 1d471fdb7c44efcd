/// Reports that the session has left the destination.
package struct Exit: WireMessage {
    package static let kind = FrameKind.exit

    /// The reason why a destination may not enter the session, or why the source has lost its destination.
    package var refusal: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "refusal", &refusal)
    }
}
