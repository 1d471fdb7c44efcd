/// Reports that the destination, the watch or the board exists.
package struct Registered: WireMessage {
    package static let kind = FrameKind.registered

    /// The name of a board that the broker created.
    package var name: String?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        default: break
        }
    }
}
