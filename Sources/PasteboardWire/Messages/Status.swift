/// Opens a request for the state of the broker. The answers are entries and `end`. They never show contents.
package struct Status: WireMessage {
    package static let kind = FrameKind.status

    /// Whether the last loads, the connections that have ended, and the processes are shown too.
    package var history: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, history)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: history = try field.bool()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
