/// Opens a write to a board: items follow on the stream, then `commit`. Afterwards the publication exists as long as
/// the stream, which ends when the contents are replaced or cleared.
package struct Write: WireMessage {
    package static let kind = FrameKind.write

    /// The board's name; `general` when absent.
    package var board: String?
    /// Write only if the board is still at this change count (feature `condition`).
    package var ifChangeCount: UInt64?
    /// The client's own publication, if the items are added to it instead of replacing the contents (feature
    /// `additions`): each item's representations to the item at the same index, and further items at the end.
    package var handle: UInt64?
    /// The flags and the lifetime of the new contents (feature `terms`).
    package var terms: ContentTerms?
    /// Whether kept representations of types that the contents have promised take the place of the promises (feature
    /// `handOver`).
    package var keepsPromises: Bool?
    /// The epoch of `ifChangeCount`; nil: any (feature `reclaim`).
    package var ifEpoch: UInt64?
    /// The change count that these contents had before the connection was lost, if they are to come back under it
    /// (feature `reclaim`).
    package var reclaimsChangeCount: UInt64?
    /// The epoch of `reclaimsChangeCount`.
    package var reclaimsEpoch: UInt64?
    /// Whether the write fails with `no-space` instead of clearing boards of ended programs (feature `eviction`).
    package var evictsNothing: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, board)
        bytes.appendField(2, ifChangeCount)
        bytes.appendField(3, handle)
        bytes.appendField(4, terms)
        bytes.appendField(5, keepsPromises)
        bytes.appendField(6, ifEpoch)
        bytes.appendField(7, reclaimsChangeCount)
        bytes.appendField(8, reclaimsEpoch)
        bytes.appendField(9, evictsNothing)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: board = try field.string(in: bytes)
        case 2: ifChangeCount = try field.number64()
        case 3: handle = try field.number64()
        case 4: try field.merge(into: &terms, in: bytes)
        case 5: keepsPromises = try field.bool()
        case 6: ifEpoch = try field.number64()
        case 7: reclaimsChangeCount = try field.number64()
        case 8: reclaimsEpoch = try field.number64()
        case 9: evictsNothing = try field.bool()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
