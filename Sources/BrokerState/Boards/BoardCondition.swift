import PasteboardWire

/// A change count that a request requires of a board.
struct BoardCondition: BitwiseCopyable {
    let changeCount: UInt64
    /// The lifetime of the broker that the count belongs to; nil: any.
    let epoch: UInt64?

    /// Returns nil if the request requires nothing.
    init?(_ changeCount: UInt64?, epoch: UInt64? = nil) throws(Failure) {
        guard let changeCount else {
            guard epoch == nil else {
                throw Failure(.invalidArgument, "a condition with an epoch needs a change count, too")
            }
            return nil
        }
        self.changeCount = changeCount
        self.epoch = epoch
    }
}
