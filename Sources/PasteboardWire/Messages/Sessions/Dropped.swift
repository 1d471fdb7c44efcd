/// Sent to a source: the operation of the drop, before anything is transferred.
package struct Dropped: WireMessage {
    package static let kind = FrameKind.dropped

    package var operation: DropOperation?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "operation", &operation)
    }
}
