/// Sent by a source: drops the session at its current location.
package struct Drop: WireMessage {
    package static let kind = FrameKind.drop

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {}

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {}
}
