/// A pointer update from a source. The answer is a proposal.
package struct Move: WireMessage {
    package static let kind = FrameKind.move

    /// The new location; none if the session is at no destination.
    package var location: Location?
    /// The sequence number of the proposal that answers. A proposal with a later number answers it, too.
    package var sequence: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, location)
        bytes.appendField(2, sequence)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: try field.merge(into: &location, in: bytes)
        case 2: sequence = try field.number64()
        default: break
        }
    }
}
