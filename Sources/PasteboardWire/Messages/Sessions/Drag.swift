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
        bytes.appendField(1, allowsMove)
        bytes.appendField(2, isRestricted)
        bytes.appendField(3, movesBetweenProcesses)
        bytes.appendField(4, handle)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: allowsMove = try field.bool()
        case 2: isRestricted = try field.bool()
        case 3: movesBetweenProcesses = try field.bool()
        case 4: handle = try field.number64()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
