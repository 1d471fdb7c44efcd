/// Reports that a write or clear took place.
package struct Committed: WireMessage {
    package static let kind = FrameKind.committed

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication's handle; none after a clear.
    package var handle: UInt64?
    /// The boards of ended programs that were cleared to make room for the write, of those that exist for the writer.
    package var clearedBoards: [String] = []
    /// Whether the written bytes would be lost in a crash of the broker, because its service manager takes nothing; nil
    /// if the broker saves none of them.
    package var isUnsaved: Bool?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, changeCount)
        bytes.appendField(2, epoch)
        bytes.appendField(3, handle)
        bytes.appendField(4, repeated: clearedBoards)
        // The last field: see `markUnsaved`.
        bytes.appendField(5, isUnsaved)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: changeCount = try field.number64()
        case 2: epoch = try field.number64()
        case 3: handle = try field.number64()
        case 4: try field.append(to: &clearedBoards, limit: WireLimits.clearedBoards, in: bytes)
        case 5: isUnsaved = try field.bool()
        default: break
        }
    }

    /// Sets `is_unsaved` in an encoded message that has the field. A broker finds out that contents are not saved in
    /// time while their acknowledgement waits.
    package static func markUnsaved(_ payload: inout MutableSpan<UInt8>) {
        // No other field ends with these two bytes.
        guard payload.count >= 2, payload[payload.count - 2] == 5 << 3, payload[payload.count - 1] == 0 else { return }
        payload[payload.count - 1] = 1
    }
}
