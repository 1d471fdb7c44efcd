/// What a drop would do where the session is: from a destination, and passed on to the source as far as it holds.
package struct Proposal: WireMessage {
    package static let kind = FrameKind.proposal

    /// Of the update, or of the move, that it answers.
    package var sequence: UInt64?
    package var operation: DropOperation?
    package var isPrecise: Bool?
    package var prefersFullSizePreview: Bool?
    /// From a destination: it does not take these items anywhere, and is not asked again before others are added.
    package var cannotHandle: Bool?
    /// From the broker: why a drop would do nothing, where it is not the destination that says so.
    package var refusal: Failure?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.sequence)
        bytes.appendField(2, self.operation)
        bytes.appendField(3, self.isPrecise)
        bytes.appendField(4, self.prefersFullSizePreview)
        bytes.appendField(5, self.cannotHandle)
        bytes.appendField(6, self.refusal)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.sequence = try field.number64()
        case 2: self.operation = try field.enumeration()
        case 3: self.isPrecise = try field.bool()
        case 4: self.prefersFullSizePreview = try field.bool()
        case 5: self.cannotHandle = try field.bool()
        case 6: try field.merge(into: &self.refusal, in: bytes)
        default: break
        }
    }
}
