/// Opens a stream of the broker for a session at a destination, or reports that items were added. The new items follow.
package struct Session: WireMessage {
    package static let kind = FrameKind.session

    /// The stream of the destination.
    package var destination: UInt64?
    /// The publication with the items. It also identifies the session.
    package var handle: UInt64?
    /// The number of times that items were committed, from 1.
    package var version: UInt64?
    /// The number of all items that this destination may see.
    package var itemCount: UInt32?
    /// Whether a move by this destination would be performed.
    package var allowsMove: Bool?
    package var isRestricted: Bool?
    /// The source's name, as reported by itself.
    package var ownerLabel: String?
    /// The source's process id, as reported by the kernel.
    package var ownerProcess: UInt32?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "destination", &destination)
        visit(2, "handle", &handle)
        visit(3, "version", &version)
        visit(4, "item_count", &itemCount)
        visit(5, "allows_move", &allowsMove)
        visit(6, "is_restricted", &isRestricted)
        visit(7, "owner_label", &ownerLabel)
        visit(8, "owner_process", &ownerProcess)
    }
}
