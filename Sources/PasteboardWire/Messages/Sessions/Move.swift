/// From a source: the session is over something else now. Answered by a proposal.
package struct Move: WireMessage {
    package static let kind = FrameKind.move

    /// None: over nothing.
    package var location: Location?
    /// Which proposal answers it: the first of this number or a later one.
    package var sequence: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.location)
        bytes.appendField(2, self.sequence)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: try field.merge(into: &self.location, in: bytes)
        case 2: self.sequence = try field.number64()
        default: break
        }
    }
}
