/// Sent by a destination: its handler has returned, and it begins no more loads.
package struct Performed: WireMessage {
    package static let kind = FrameKind.performed

    /// The items that were taken without a load. The broker uses them only if source and destination are one process.
    package var items: [UInt32] = []
    /// The reason why the drop was not performed.
    package var failure: Failure?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "items", &items, most: WireLimits.items)
        visit(2, "failure", &failure)
    }
}
