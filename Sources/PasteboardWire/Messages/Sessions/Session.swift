/// Opens a stream of the broker for a session at a destination, or reports that items were added. The new items follow.
package struct Session: WireMessage {
    package static let kind = FrameKind.session

    /// The stream of the destination.
    package var destination: UInt64?
    /// The publication with the items. It also identifies the session.
    package var handle: UInt64?
    /// The number of times that items were committed, from 1.
    package var version: UInt64?
    /// The number of all items that this destination may see.
    package var itemCount: UInt32?
    /// Whether a move by this destination would be performed.
    package var allowsMove: Bool?
    package var isRestricted: Bool?
    /// The source's name, as reported by itself.
    package var ownerLabel: String?
    /// The source's process id, as reported by the kernel.
    package var ownerProcess: UInt32?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, destination)
        bytes.appendField(2, handle)
        bytes.appendField(3, version)
        bytes.appendField(4, itemCount)
        bytes.appendField(5, allowsMove)
        bytes.appendField(6, isRestricted)
        bytes.appendField(7, ownerLabel)
        bytes.appendField(8, ownerProcess)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: destination = try field.number64()
        case 2: handle = try field.number64()
        case 3: version = try field.number64()
        case 4: itemCount = try field.number32()
        case 5: allowsMove = try field.bool()
        case 6: isRestricted = try field.bool()
        case 7: ownerLabel = try field.string(in: bytes)
        case 8: ownerProcess = try field.number32()
        default: break
        }
    }
}
