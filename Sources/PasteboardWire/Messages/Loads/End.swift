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

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "byte_count", &byteCount)
        visit(2, "reason", &reason)
        visit(3, "lost_boards", &lostBoards, most: WireLimits.clearedBoards)
        visit(4, "disk_error", &diskError)
    }
}
