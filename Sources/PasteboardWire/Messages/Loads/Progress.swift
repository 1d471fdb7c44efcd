/// The progress of a source's handler, or of a drop at its destination. It extends the deadlines of the load or the
/// drop.
package struct Progress: WireMessage {
    package static let kind = FrameKind.progress

    package var completed: UInt64?
    package var total: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "completed", &completed)
        visit(2, "total", &total)
    }
}
