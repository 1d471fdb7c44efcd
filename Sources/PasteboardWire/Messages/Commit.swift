/// Ends the items of a write; with it they become visible, all at once.
package struct Commit: WireMessage {
    package static let kind = FrameKind.commit

    /// How many items were sent: a check.
    package var itemCount: UInt32?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.itemCount)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.itemCount = try field.number32()
        default: break
        }
    }
}
