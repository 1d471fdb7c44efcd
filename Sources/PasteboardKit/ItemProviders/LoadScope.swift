/// The drop to which the loads of an item belong.
protocol LoadScope: AnyObject, Sendable {
    /// Returns the failure of a drop that has ended before a load which it would have allowed.
    ///
    /// - Parameter isInTime: whether the load, or the call that made it, began while the drop was performed.
    func interruption(isInTime: Bool) -> PasteboardError?

    /// Begins a load.
    ///
    /// - Returns: the progress to which the load reports. It is a part of the drop's progress.
    func begin(_ progress: LoadProgress?, item: Int) -> LoadProgress?
    /// Begins a call that will begin a load and then invoke a callback. Returns nil if no load can begin now.
    func call() -> (any LoadCall)?
    /// Records that the bytes of an item could not be stored here: if the operation is a move, the item has to stay at
    /// its source.
    func lose(_ item: Int)
}
