package import PasteboardWire

/// The contents of a board, without bytes.
package struct BoardListing: Sendable, Equatable {
    package var contents = Contents()
    package var items: [Item] = []

    /// An empty board.
    package init() {}
}

/// A list of a board, which waits for contents of an earlier broker before it reports the board as empty: then it is
/// listed again after its first change, or when nothing can come back any more.
package struct ListOperation: Sendable {
    package enum Step: Sendable {
        /// Ends the present request, and opens the next one.
        case open
        case listed(BoardListing)
    }

    private let board: String
    /// Whether an empty board may still get contents of an earlier broker.
    private var settles: Bool
    /// Whether the present request is a watch.
    private var isSettling = false
    private var listing = BoardListing()

    /// - Parameter settles: whether contents of an earlier broker may still come back: the welcome contains a settling
    ///   time.
    package init(_ board: String, settles: Bool) {
        self.board = board
        self.settles = settles
    }

    /// Opens the present request, whose events are passed to `handle`.
    package func open(_ state: inout ClientState) throws(Failure) -> UInt64 {
        guard isSettling else {
            var list = List()
            list.board = board
            return try state.open(list)
        }
        var watch = Watch()
        watch.board = board
        // The epoch is not that of this broker, so an empty board is reported only when nothing can come back.
        (watch.sinceChangeCount, watch.sinceEpoch) = (0, 0)
        watch.credit = 1
        watch.requires = [Feature.watches.rawValue]
        return try state.open(watch)
    }

    /// - Returns: the next step; nil if more events follow.
    package mutating func handle(_ event: ClientEvent) -> Step? {
        switch event {
        case .contents(_, let contents): listing.contents = contents
        case .item(_, let item): listing.items.append(item)
        case .ended where settles && listing.contents.handle == nil:
            (settles, isSettling) = (false, true)
            return .open
        case .ended: return .listed(listing)
        case .changed:
            (listing, isSettling) = (BoardListing(), false)
            return .open
        default: break
        }
        return nil
    }

    /// - Returns: the step that follows although the present request has failed; nil if the list has failed.
    package func failed(_ code: ErrorCode) -> Step? {
        // This process has as many watches as it may have.
        isSettling && code == .limitExceeded ? .listed(listing) : nil
    }
}
