/// Ends the items of a write, and makes all of them visible at once.
package struct Commit: WireMessage {
    package static let kind = FrameKind.commit

    /// The number of items that were sent, as a check.
    package var itemCount: UInt32?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, itemCount)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: itemCount = try field.number32()
        default: break
        }
    }
}
