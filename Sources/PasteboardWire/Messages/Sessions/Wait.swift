/// Opens a wait for a destination of a name. The answer is `end`, as soon as there is one.
package struct Wait: WireMessage {
    package static let kind = FrameKind.wait

    package var destination = ""
    /// The longest time to wait; no limit if absent.
    package var milliseconds: UInt64?
    /// The client's drag session that waits. Then the wait ends when the session can be directed to the destination, or
    /// when the session ends.
    package var handle: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, destination)
        bytes.appendField(2, milliseconds)
        bytes.appendField(3, handle)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: destination = try field.string(in: bytes)
        case 2: milliseconds = try field.number64()
        case 3: handle = try field.number64()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
