/// Opens a clear of a board. The answers are `committed` and `end`.
package struct Clear: WireMessage {
    package static let kind = FrameKind.clear

    /// The board's name; `general` when absent.
    package var board: String?
    /// Clear only if the board is still at this change count (feature `condition`).
    package var ifChangeCount: UInt64?
    /// Whether the board itself is removed, too (feature `boards`).
    package var removesBoard: Bool?
    /// The epoch of `ifChangeCount`; nil: any (feature `reclaim`).
    package var ifEpoch: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, board)
        bytes.appendField(2, ifChangeCount)
        bytes.appendField(3, removesBoard)
        bytes.appendField(4, ifEpoch)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: board = try field.string(in: bytes)
        case 2: ifChangeCount = try field.number64()
        case 3: removesBoard = try field.bool()
        case 4: ifEpoch = try field.number64()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
