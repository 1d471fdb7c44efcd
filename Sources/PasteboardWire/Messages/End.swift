/// The end of a stream without a failure.
package struct End: WireMessage {
    package static let kind = FrameKind.end

    /// The number of bytes in all of the stream's data frames. A receiver compares it with its own count.
    package var byteCount: UInt64?
    /// The reason, for the stream of a publication.
    package var reason: EndReason?
    /// For the answer to a request to stop: the boards whose contents are lost, of those that exist for the peer.
    package var lostBoards: [String] = []
    /// For the same: the reason why the disk does not have contents that it should have.
    package var diskError: String?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, byteCount)
        bytes.appendField(2, reason)
        bytes.appendField(3, repeated: lostBoards)
        bytes.appendField(4, diskError)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: byteCount = try field.number64()
        case 2: reason = try field.enumeration()
        case 3: try field.append(to: &lostBoards, limit: WireLimits.clearedBoards, in: bytes)
        case 4: diskError = try field.string(in: bytes)
        default: break
        }
    }
}
