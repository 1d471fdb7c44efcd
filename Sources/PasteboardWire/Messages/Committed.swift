/// Reports that a write or clear took place.
package struct Committed: WireMessage {
    package static let kind = FrameKind.committed

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication's handle; none after a clear.
    package var handle: UInt64?
    /// The boards of ended programs that were cleared to make room for the write, of those that exist for the writer.
    package var clearedBoards: [String] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, changeCount)
        bytes.appendField(2, epoch)
        bytes.appendField(3, handle)
        bytes.appendField(4, repeated: clearedBoards)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: changeCount = try field.number64()
        case 2: epoch = try field.number64()
        case 3: handle = try field.number64()
        case 4: try field.append(to: &clearedBoards, limit: WireLimits.clearedBoards, in: bytes)
        default: break
        }
    }
}
