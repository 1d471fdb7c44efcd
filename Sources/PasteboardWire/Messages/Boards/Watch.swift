/// Opens a watch of a board. The answer is `registered`, then a `change` for each change, as far as credit allows.
package struct Watch: WireMessage {
    package static let kind = FrameKind.watch

    /// The board's name; `general` when absent.
    package var board: String?
    /// The last change count that the client knows. If the board has another one, the first `change` comes at once.
    package var sinceChangeCount: UInt64?
    /// The epoch of `sinceChangeCount`.
    package var sinceEpoch: UInt64?
    /// The number of changes, from the start of the stream, that may be sent without further credit.
    package var credit: UInt64?
    /// Whether all boards are watched, also those that appear later (feature `allBoards`). The changes are in the order
    /// of the total change count, to which `sinceChangeCount` and `registered` refer.
    package var allBoards: Bool?
    /// Whether the destinations for drag sessions are watched instead of a board (feature `links`). A change says only
    /// that one was registered or has ended.
    package var destinations: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "board", &board)
        visit(2, "since_change_count", &sinceChangeCount)
        visit(3, "since_epoch", &sinceEpoch)
        visit(4, "credit", &credit)
        visit(5, "all_boards", &allBoards)
        visit(6, "destinations", &destinations)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
