/// Reports the newest state of a watched board, without bytes.
package struct Change: WireMessage {
    package static let kind = FrameKind.change

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication; none if the board is empty.
    package var handle: UInt64?
    package var itemCount: UInt32?
    package var ownerLabel: String?
    package var ownerProcess: UInt32?
    /// The types of all items that the client may see, each once.
    package var types: [String] = []
    package var terms: ContentTerms?
    /// As in `contents`.
    package var version: UInt64?
    /// The number of changes before this one that were not reported; none if it is not known.
    package var missed: UInt64?
    /// The client that has cleared the board, if the board is empty for that reason.
    package var clearerProcess: UInt32?
    package var clearerLabel: String?
    /// The board, if all are watched.
    package var board: String?
    /// The total change count at this change, if all boards are watched.
    package var totalChangeCount: UInt64?
    /// As in `contents`; also of a cleared board.
    package var origin: Origin?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "change_count", &changeCount)
        visit(2, "epoch", &epoch)
        visit(3, "handle", &handle)
        visit(4, "item_count", &itemCount)
        visit(5, "owner_label", &ownerLabel)
        visit(6, "owner_process", &ownerProcess)
        visit(7, "types", &types, most: WireLimits.representations)
        visit(8, "terms", &terms)
        visit(9, "version", &version)
        visit(10, "missed", &missed)
        visit(11, "clearer_process", &clearerProcess)
        visit(12, "clearer_label", &clearerLabel)
        visit(13, "board", &board)
        visit(14, "total_change_count", &totalChangeCount)
        visit(16, "origin", &origin)
    }
}
