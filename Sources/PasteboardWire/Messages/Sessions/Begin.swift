/// Begins the dragging of the offered session.
package struct Begin: WireMessage {
    package static let kind = FrameKind.begin

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {}
}
