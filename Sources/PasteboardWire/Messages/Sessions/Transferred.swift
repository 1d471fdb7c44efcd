/// The result of a drop, for both sides. Unless there is a failure, the source may delete what was moved.
package struct Transferred: WireMessage {
    package static let kind = FrameKind.transferred

    package var operation: DropOperation?
    /// Those that the destination has.
    package var items: [UInt32] = []
    /// Why it is not all that the destination asked for, or was to have.
    package var failure: Failure?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.operation)
        bytes.appendField(2, repeated: self.items)
        bytes.appendField(3, self.failure)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.operation = try field.enumeration()
        case 2: try field.append(to: &self.items, limit: WireLimits.items, in: bytes)
        case 3: try field.merge(into: &self.failure, in: bytes)
        default: break
        }
    }
}
