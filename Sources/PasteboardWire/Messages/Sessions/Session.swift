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
        bytes.appendField(1, self.destination)
        bytes.appendField(2, self.handle)
        bytes.appendField(3, self.version)
        bytes.appendField(4, self.itemCount)
        bytes.appendField(5, self.allowsMove)
        bytes.appendField(6, self.isRestricted)
        bytes.appendField(7, self.ownerLabel)
        bytes.appendField(8, self.ownerProcess)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.destination = try field.number64()
        case 2: self.handle = try field.number64()
        case 3: self.version = try field.number64()
        case 4: self.itemCount = try field.number32()
        case 5: self.allowsMove = try field.bool()
        case 6: self.isRestricted = try field.bool()
        case 7: self.ownerLabel = try field.string(in: bytes)
        case 8: self.ownerProcess = try field.number32()
        default: break
        }
    }
}
