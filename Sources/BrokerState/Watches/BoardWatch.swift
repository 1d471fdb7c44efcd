package typealias WatchID = SlotTable<BoardWatch>.ID
package typealias WatchedBoardID = SlotTable<WatchedBoard>.ID

/// A request of a peer to be notified of the changes of a board, or of all boards.
package struct BoardWatch: ~Copyable, Sendable {
    let peer: PeerID
    let stream: UInt64
    let board: WatchedBoardID
    /// Its indices in the lists of its board and of its peer.
    var indexAtBoard: Int
    var indexAtPeer: Int
    /// The number of changes that the peer allows, and the number of those that were sent.
    var granted: UInt64
    var sent: UInt64 = 0
    /// The state that the peer knows. For all boards, the count is the total change count.
    var reported: BoardState
    /// The change count that the peer knew of an earlier broker; 0 if it knew none.
    var known: UInt64 = 0
    /// Whether a change is to be sent, as soon as the peer allows one more.
    var isDue = false
    let charge: Charge

    var isSendable: Bool { isDue && sent < granted }
}

/// The numbers that differ if the state of a board differs.
struct BoardState: BitwiseCopyable, Equatable {
    var count: BoardCount
    /// The version of the contents; 0 without contents.
    var version: UInt64 = 0
}

/// A board that is watched, or all boards.
package struct WatchedBoard: ~Copyable, Sendable {
    enum Phase: BitwiseCopyable {
        /// All changes have had their round. → waiting, running
        case quiet
        /// A change waits until the next round may begin. → running
        case waiting
        /// The watches are being marked. → quiet; waiting if the board has changed since the round began
        case running(isOutdated: Bool)
    }

    /// ``Watches/allBoards`` for all boards.
    let name: String
    var state: BoardState
    /// Whether the last change was that contents of an earlier broker have come back.
    var isBack = false
    var watches: [WatchID] = []
    var phase = Phase.quiet
    /// Whether some watches wait for the contents to come back: see ``Watches/settlingTime``.
    var isSettling = false
    /// The time before which no round may begin.
    var nextRound: UInt64 = 0
    /// The number of watches, from the first one, that the running round has not visited.
    var unvisited = 0
    /// The client whose clear was the last change.
    var clearer: Clearer?
    /// The contents as peers see them, made when they are first needed after a change.
    var summaries: [ContentSummary] = []
}

/// A client that has cleared a board.
struct Clearer: Sendable {
    let process: UInt32
    let label: String
}

/// The part of a publication that peers with the same access see.
struct ContentSummary: Sendable {
    let visibilities: VisibilitySet
    let itemCount: Int
    /// The types of all items, each once, at most as many as an item may have.
    let types: [String]
}

/// The watches of one peer.
package struct Watcher: ~Copyable, Sendable {
    var watches: [WatchID] = []
    /// The number of watches with a change to send and credit for it.
    var sendable = 0
    /// The index of the watch of which a change was sent last.
    var last = 0
    /// Whether the driver has been asked to continue.
    var isListed = false
}
