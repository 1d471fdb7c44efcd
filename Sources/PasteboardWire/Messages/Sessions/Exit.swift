/// Reports that the session has left the destination.
package struct Exit: WireMessage {
    package static let kind = FrameKind.exit

    /// The reason why a destination may not enter the session, or why the source has lost its destination.
    package var refusal: Failure?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, refusal)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: try field.merge(into: &refusal, in: bytes)
        default: break
        }
    }
}
