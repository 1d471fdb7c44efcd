/// Allows data up to an offset from the stream's start. The offset never decreases.
package struct Credit: WireMessage {
    package static let kind = FrameKind.credit

    package var offset: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "offset", &offset)
    }
}
