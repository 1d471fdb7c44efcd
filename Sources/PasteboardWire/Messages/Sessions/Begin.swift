/// Begins the dragging of the offered session.
package struct Begin: WireMessage {
    package static let kind = FrameKind.begin

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {}

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {}
}
