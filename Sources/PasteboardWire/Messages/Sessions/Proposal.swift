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

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, sequence)
        bytes.appendField(2, operation)
        bytes.appendField(3, isPrecise)
        bytes.appendField(4, prefersFullSizePreview)
        bytes.appendField(5, cannotHandle)
        bytes.appendField(6, refusal)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: sequence = try field.number64()
        case 2: operation = try field.enumeration()
        case 3: isPrecise = try field.bool()
        case 4: prefersFullSizePreview = try field.bool()
        case 5: cannotHandle = try field.bool()
        case 6: try field.merge(into: &refusal, in: bytes)
        default: break
        }
    }
}
