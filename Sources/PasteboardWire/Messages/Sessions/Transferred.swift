/// The result of a drop, for both sides. Without a failure, the source may delete the items of a move.
package struct Transferred: WireMessage {
    package static let kind = FrameKind.transferred

    package var operation: DropOperation?
    /// The indices of the items that the destination has.
    package var items: [UInt32] = []
    /// The reason why the destination does not have everything that it asked for or was to receive.
    package var failure: Failure?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, operation)
        bytes.appendField(2, repeated: items)
        bytes.appendField(3, failure)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: operation = try field.enumeration()
        case 2: try field.append(to: &items, limit: WireLimits.items, in: bytes)
        case 3: try field.merge(into: &failure, in: bytes)
        default: break
        }
    }
}
