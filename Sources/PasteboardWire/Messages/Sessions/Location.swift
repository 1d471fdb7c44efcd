/// The location of a session, without a screen: a destination, and a row or a point in it.
package struct Location: ProtobufMessage {
    package var destination: String = ""
    /// Usually section and row; empty if there is no index path.
    package var indexPath: [UInt32] = []
    /// The coordinates in thousandths of a point, as two's complement.
    package var x: UInt64?
    package var y: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, destination)
        bytes.appendField(2, repeated: indexPath)
        bytes.appendField(3, x)
        bytes.appendField(4, y)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: destination = try field.string(in: bytes)
        case 2: try field.append(to: &indexPath, limit: WireLimits.indexPath, in: bytes)
        case 3: x = try field.number64()
        case 4: y = try field.number64()
        default: break
        }
    }
}
