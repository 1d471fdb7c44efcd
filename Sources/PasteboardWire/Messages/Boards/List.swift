/// Opens a list of a board's contents. The answers are `contents`, one `item` for each item, and `end`.
package struct List: WireMessage {
    package static let kind = FrameKind.list

    /// The board's name; `general` when absent.
    package var board: String?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "board", &board)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
