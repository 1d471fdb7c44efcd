package import PasteboardWire

/// A watch of one board, or of all, over any number of brokers. It has credit for a change only while its program
/// wants one.
package struct WatchOperation: Sendable {
    package enum Step: Sendable, Equatable {
        case none
        /// The broker has confirmed the watch: no later change is missed.
        case registered
        case changed(Change)
        case failed(Failure)
    }

    /// nil for all boards.
    package let board: String?
    /// Whether the broker has confirmed the watch.
    package private(set) var isRegistered = false
    /// The total change count when a watch of all boards from their present contents began; 0 for other watches.
    package private(set) var presentCount: UInt64 = 0
    private var since: (changeCount: UInt64?, epoch: UInt64?)
    /// The epoch of the broker.
    private var epoch: UInt64?
    private var isWanted = false
    private var isCredited = false

    /// - Parameters:
    ///   - changeCount: the last change count that the program knows; nil for the present one.
    ///   - epoch: its epoch. Without one, the broker reports the present state at once, even if the board is empty.
    package init(_ board: String?, sinceChangeCount changeCount: UInt64? = nil, epoch: UInt64? = nil) {
        self.board = board
        since = (changeCount, epoch)
    }

    /// Whether the first change describes the contents that were there when the watch began.
    package var reportsPresent: Bool { since == (0, nil) }

    /// The request that opens the watch at a broker. It continues after the last change that was reported.
    package mutating func open() -> Watch {
        var watch = Watch()
        watch.board = board
        (watch.sinceChangeCount, watch.sinceEpoch) = since
        watch.credit = isWanted ? 1 : 0
        if board == nil { watch.allBoards = true }
        watch.requires = [(board == nil ? Feature.allBoards : .watches).rawValue]
        (isRegistered, isCredited) = (false, isWanted)
        return watch
    }

    /// Wants the next change.
    ///
    /// - Returns: whether the driver grants the credit for it. A request that is made later contains it.
    package mutating func want() -> Bool {
        isWanted = true
        return !exchange(&isCredited, with: true)
    }

    package mutating func handle(_ event: ClientEvent) -> Step {
        switch event {
        case .registered(_, let registered):
            (isRegistered, epoch) = (true, registered.epoch)
            if board == nil, reportsPresent { presentCount = registered.changeCount ?? 0 }
            // So that no change is missed or invented if the broker is lost before it reports one.
            if since.changeCount == nil { since = (registered.changeCount, registered.epoch) }
            return .registered
        case .changed(_, let change):
            // The total count belongs to the broker, and not to the contents.
            since = change.totalChangeCount.map { ($0, epoch) } ?? (change.changeCount, change.epoch)
            (isWanted, isCredited) = (false, false)
            return .changed(change)
        case .failed(_, let failure): return .failed(failure)
        default: return .none
        }
    }
}
