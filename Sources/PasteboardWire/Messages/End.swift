/// The end of a stream without a failure.
package struct End: WireMessage {
    package static let kind = FrameKind.end

    /// The number of bytes in all of the stream's data frames. A receiver compares it with its own count.
    package var byteCount: UInt64?
    /// The reason, for the stream of a publication.
    package var reason: EndReason?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, byteCount)
        bytes.appendField(2, reason)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: byteCount = try field.number64()
        case 2: reason = try field.enumeration()
        default: break
        }
    }
}
