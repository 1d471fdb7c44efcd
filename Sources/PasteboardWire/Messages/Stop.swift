/// Makes the broker end as it does on SIGTERM. The answer is `end`, before the broker drains.
package struct Stop: WireMessage {
    package static let kind = FrameKind.stop

    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
