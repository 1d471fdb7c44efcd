/// Reports that the destination exists.
package struct Registered: WireMessage {
    package static let kind = FrameKind.registered

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {}

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {}
}
