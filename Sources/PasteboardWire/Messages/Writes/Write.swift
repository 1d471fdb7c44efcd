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
    /// Where a link's contents were written; they replace only older ones (feature `links`).
    package var origin: Origin?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "board", &board)
        visit(2, "if_change_count", &ifChangeCount)
        visit(3, "handle", &handle)
        visit(4, "terms", &terms)
        visit(5, "keeps_promises", &keepsPromises)
        visit(6, "if_epoch", &ifEpoch)
        visit(7, "reclaims_change_count", &reclaimsChangeCount)
        visit(8, "reclaims_epoch", &reclaimsEpoch)
        visit(9, "evicts_nothing", &evictsNothing)
        visit(10, "origin", &origin)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
