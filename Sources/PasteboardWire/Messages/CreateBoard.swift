/// Creates a board with a name that no other board has. The answer is `registered` with the name. The board exists as
/// long as the stream.
package struct CreateBoard: WireMessage {
    package static let kind = FrameKind.createBoard

    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
