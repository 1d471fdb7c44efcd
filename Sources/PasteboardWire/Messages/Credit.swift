/// Allows data up to an offset from the stream's start. The offset never decreases.
package struct Credit: WireMessage {
    package static let kind = FrameKind.credit

    package var offset: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, offset)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: offset = try field.number64()
        default: break
        }
    }
}
