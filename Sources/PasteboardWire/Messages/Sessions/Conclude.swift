/// Sent by a destination: it has all that it asked for, and the source may delete the items of a move; or it has
/// failed.
package struct Conclude: WireMessage {
    package static let kind = FrameKind.conclude

    /// The items that were taken without a load, as in `Performed`.
    package var items: [UInt32] = []
    /// The reason why a move is not to be completed.
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
