/// Ends a stream that the sender no longer needs. It is not acknowledged.
package struct Cancel: WireMessage {
    package static let kind = FrameKind.cancel

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {}
}
