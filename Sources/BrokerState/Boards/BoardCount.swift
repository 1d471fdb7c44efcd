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
            throw Failure(.invalidArgument, "reclaims_change_count and reclaims_epoch must be set together")
        }
        guard write.handle == nil, write.ifChangeCount == nil else {
            let text = "a write that reclaims a change count must have neither if_change_count nor handle"
            throw Failure(.invalidArgument, text)
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
