/// Opens a drag session: items and `commit` follow on the stream, then `begin`. Or opens an addition of items to a
/// session: items and `commit` follow.
package struct Drag: WireMessage {
    package static let kind = FrameKind.drag

    /// Whether a destination may propose to move the items; true if absent.
    package var allowsMove: Bool?
    /// Whether only the process that began the session may be its destination.
    package var isRestricted: Bool?
    /// Whether a destination of another process may propose to move the items; false if absent.
    package var movesBetweenProcesses: Bool?
    /// The client's session to which the items are added, instead of a new one.
    package var handle: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.allowsMove)
        bytes.appendField(2, self.isRestricted)
        bytes.appendField(3, self.movesBetweenProcesses)
        bytes.appendField(4, self.handle)
        bytes.appendField(15, repeated: self.requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.allowsMove = try field.bool()
        case 2: self.isRestricted = try field.bool()
        case 3: self.movesBetweenProcesses = try field.bool()
        case 4: self.handle = try field.number64()
        case 15: try field.append(to: &self.requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
