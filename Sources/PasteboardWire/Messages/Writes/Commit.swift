/// Ends the items of a write, and makes all of them visible at once.
package struct Commit: WireMessage {
    package static let kind = FrameKind.commit

    /// The number of items that were sent, as a check.
    package var itemCount: UInt32?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "item_count", &itemCount)
    }
}
