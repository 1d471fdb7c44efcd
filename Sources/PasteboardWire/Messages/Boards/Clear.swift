/// Opens a clear of a board. The answers are `committed` and `end`.
package struct Clear: WireMessage {
    package static let kind = FrameKind.clear

    /// The board's name; `general` when absent.
    package var board: String?
    /// Clear only if the board is still at this change count (feature `condition`).
    package var ifChangeCount: UInt64?
    /// Whether the board itself is removed, too (feature `boards`).
    package var removesBoard: Bool?
    /// The epoch of `ifChangeCount`; nil: any (feature `reclaim`).
    package var ifEpoch: UInt64?
    /// Where a link's clear was made; it clears only older contents (feature `links`).
    package var origin: Origin?
    package var requires: [UInt32] = []

    package init() {}

    /// A clear of a board, on the condition that it is at a change count, if there is one.
    package init(_ board: String?, ifChangeCount: UInt64? = nil) {
        (self.board, self.ifChangeCount) = (board, ifChangeCount)
        if ifChangeCount != nil { requires = [Feature.condition.rawValue] }
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "board", &board)
        visit(2, "if_change_count", &ifChangeCount)
        visit(3, "removes_board", &removesBoard)
        visit(4, "if_epoch", &ifEpoch)
        visit(5, "origin", &origin)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
