/// Sent to a source: the operation of the drop, before anything is transferred.
package struct Dropped: WireMessage {
    package static let kind = FrameKind.dropped

    package var operation: DropOperation?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, operation)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: operation = try field.enumeration()
        default: break
        }
    }
}
