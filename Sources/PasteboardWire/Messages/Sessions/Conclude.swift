/// Sent by a destination: it has all that it asked for, and the source may delete the items of a move; or it has
/// failed.
package struct Conclude: WireMessage {
    package static let kind = FrameKind.conclude

    /// The items that were taken without a load, as in `Performed`.
    package var items: [UInt32] = []
    /// The reason why a move is not to be completed.
    package var failure: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "items", &items, most: WireLimits.items)
        visit(2, "failure", &failure)
    }
}
