/// The effect of a drop at the current location. A destination sends it, and the broker passes the valid part to the
/// source.
package struct Proposal: WireMessage {
    package static let kind = FrameKind.proposal

    /// The sequence number of the `enter`, `update` or `move` that this answers.
    package var sequence: UInt64?
    package var operation: DropOperation?
    package var isPrecise: Bool?
    package var prefersFullSizePreview: Bool?
    /// Sent by a destination: it accepts these items nowhere, and is not asked again before items are added.
    package var cannotHandle: Bool?
    /// Sent by the broker: the reason why a drop would do nothing, if the broker and not the destination decides that.
    package var refusal: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "sequence", &sequence)
        visit(2, "operation", &operation)
        visit(3, "is_precise", &isPrecise)
        visit(4, "prefers_full_size_preview", &prefersFullSizePreview)
        visit(5, "cannot_handle", &cannotHandle)
        visit(6, "refusal", &refusal)
    }
}
