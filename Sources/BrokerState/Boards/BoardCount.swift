import PasteboardWire

/// A change count of a board, and the lifetime of the broker that has counted it.
struct BoardCount: BitwiseCopyable, Equatable {
    let changeCount: UInt64
    let epoch: UInt64
}

extension BoardCount {
    /// The change count that a write reclaims; nil if it reclaims none.
    init?(reclaimedBy write: Write) throws(Failure) {
        guard write.reclaimsChangeCount != nil || write.reclaimsEpoch != nil else { return nil }
        guard let changeCount = write.reclaimsChangeCount, let epoch = write.reclaimsEpoch else {
            throw Failure(.invalidArgument, "a reclaim needs a change count and its epoch")
        }
        guard write.handle == nil, write.ifChangeCount == nil else {
            throw Failure(.invalidArgument, "a reclaim has no further condition, and is no addition")
        }
        self.init(changeCount: changeCount, epoch: epoch)
    }
}

extension Committed {
    init(_ count: BoardCount) {
        self.init()
        changeCount = count.changeCount
        epoch = count.epoch
    }
}
