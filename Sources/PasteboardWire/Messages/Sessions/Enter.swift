/// Sent by the broker: the session has entered the destination, which answers with a proposal. Sent by a destination: a
/// request to enter a session that was not directed to it.
package struct Enter: WireMessage {
    package static let kind = FrameKind.enter

    package var sequence: UInt64?
    package var location: Location?
    /// The version of the items that the proposal is for.
    package var version: UInt64?

    /// The session, if a destination sends this on its own stream.
    package var handle: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, sequence)
        bytes.appendField(2, location)
        bytes.appendField(3, version)
        bytes.appendField(4, handle)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: sequence = try field.number64()
        case 2: try field.merge(into: &location, in: bytes)
        case 3: version = try field.number64()
        case 4: handle = try field.number64()
        default: break
        }
    }
}
