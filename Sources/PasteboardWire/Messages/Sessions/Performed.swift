/// Sent by a destination: its handler has returned, and it begins no more loads.
package struct Performed: WireMessage {
    package static let kind = FrameKind.performed

    /// The items that were taken without a load. The broker uses them only if source and destination are one process.
    package var items: [UInt32] = []
    /// The reason why the drop was not performed.
    package var failure: Failure?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, repeated: items)
        bytes.appendField(2, failure)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: try field.append(to: &items, limit: WireLimits.items, in: bytes)
        case 2: try field.merge(into: &failure, in: bytes)
        default: break
        }
    }
}
