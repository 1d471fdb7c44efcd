/// Sent by a source: drops the session at its current location.
package struct Drop: WireMessage {
    package static let kind = FrameKind.drop

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {}
}
