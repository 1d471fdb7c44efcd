/// Reports that the session has moved within a destination, or has other items. The answer is a proposal.
package struct Update: WireMessage {
    package static let kind = FrameKind.update

    package var sequence: UInt64?
    package var location: Location?
    package var version: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, sequence)
        bytes.appendField(2, location)
        bytes.appendField(3, version)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: sequence = try field.number64()
        case 2: try field.merge(into: &location, in: bytes)
        case 3: version = try field.number64()
        default: break
        }
    }
}
