/// Ends a stream that the sender no longer needs. It is not acknowledged.
package struct Cancel: WireMessage {
    package static let kind = FrameKind.cancel

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {}

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {}
}
