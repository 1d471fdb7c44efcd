/// Opens a destination for drag sessions, which exists as long as the stream. The broker opens a stream for each
/// session that reaches it.
package struct Destination: WireMessage {
    package static let kind = FrameKind.destination

    /// The name to which sources direct their sessions.
    package var name: String = ""
    /// The types that the destination accepts; any type if there are none.
    package var accepts: [Accept] = []
    /// Whether the destination is only for sessions of its own process. Other processes do not see it.
    package var isOwnProcess: Bool?
    /// Whether a second session may enter before the first has ended.
    package var allowsSimultaneousSessions: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
        bytes.appendField(2, repeated: accepts)
        bytes.appendField(3, isOwnProcess)
        bytes.appendField(4, allowsSimultaneousSessions)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        case 2: try field.append(to: &accepts, limit: WireLimits.accepts, in: bytes)
        case 3: isOwnProcess = try field.bool()
        case 4: allowsSimultaneousSessions = try field.bool()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
