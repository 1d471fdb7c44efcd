/// Opens a destination for drag sessions: the stream is its life. Every session that comes to it has a stream of the broker's.
package struct Destination: WireMessage {
    package static let kind = FrameKind.destination

    /// What sources direct their sessions to.
    package var name: String = ""
    /// The types that it takes; none: any type.
    package var accepts: [Accept] = []
    /// Whether it is for sessions of its own process alone; others do not see it.
    package var isOwnProcess: Bool?
    /// Whether a second session may come before the first has ended.
    package var allowsSimultaneousSessions: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.name)
        bytes.appendField(2, repeated: self.accepts)
        bytes.appendField(3, self.isOwnProcess)
        bytes.appendField(4, self.allowsSimultaneousSessions)
        bytes.appendField(15, repeated: self.requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.name = try field.string(in: bytes)
        case 2: try field.append(to: &self.accepts, limit: WireLimits.accepts, in: bytes)
        case 3: self.isOwnProcess = try field.bool()
        case 4: self.allowsSimultaneousSessions = try field.bool()
        case 15: try field.append(to: &self.requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
