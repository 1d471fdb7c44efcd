/// The drop that the loads of an item belong to.
protocol LoadScope: AnyObject, Sendable {
    /// The failure of a drop whose handler is still running: no load can begin any more.
    var interruption: PasteboardError? { get }

    /// A load begins.
    ///
    /// - Returns: the progress to which the load reports, as a part of the drop's.
    func begin(_ progress: LoadProgress?, item: Int) -> LoadProgress?
    /// Begins a call of which a load, and then a callback, come; nil if no load can begin now.
    func call() -> (any LoadCall)?
    /// The bytes of an item could not be kept here: if it was moved, it has to stay at its source.
    func lose(_ item: Int)
}
