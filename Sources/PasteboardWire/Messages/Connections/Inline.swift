/// Ends the passing of descriptors, to and from the client, at which they do not arrive. It is not acknowledged.
package struct Inline: WireMessage {
    package static let kind = FrameKind.inline

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {}
}
