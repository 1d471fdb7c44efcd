/// The result of a drop, for both sides. Without a failure, the source may delete the items of a move.
package struct Transferred: WireMessage {
    package static let kind = FrameKind.transferred

    package var operation: DropOperation?
    /// The indices of the items that the destination has.
    package var items: [UInt32] = []
    /// The reason why the destination does not have everything that it asked for or was to receive.
    package var failure: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "operation", &operation)
        visit(2, "items", &items, most: WireLimits.items)
        visit(3, "failure", &failure)
    }
}
