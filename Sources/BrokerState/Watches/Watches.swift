import PasteboardWire

/// The watches of boards: which state each has reported, and which of them have a change to send.
///
/// A change of a board costs its writer nothing for each watch: it only makes a *round* due, which visits the watches
/// of the board. The first round after a quiet time begins at once, the next one after ``interval``. So a board that
/// changes all the time reports its newest state from time to time, and always the last one.
///
/// A round does not send anything: it marks the watches whose peers have not been notified of the newest state. A watch
/// without credit stays marked. The driver then sends the changes of each peer, in pieces, and only while the peer
/// reads them. So watches whose peers do not read occupy no memory, whatever credit they have granted.
struct Watches: ~Copyable, Sendable {
    private typealias BoardSlot = SlotTable<WatchedBoard>.Slot

    /// The minimum time between the rounds of a board, in milliseconds.
    static let interval: UInt64 = 100
    /// The time after the broker's start in which clients write their contents again. After it, a watch that reports
    /// since a state of an earlier broker is sent the state of a board that has not been written. In milliseconds.
    static let settlingTime = WireLimits.settlingTime
    /// The name that watches of all boards have instead of a board's. No board has it.
    static let allBoards = ""
    /// The name of watches of the destinations for drag sessions. No board has it.
    static let destinations = "/"
    /// The cost of a part of a round.
    private static let pieceCost = 1_000

    var watchTable = SlotTable<BoardWatch>()
    var watchedTable = SlotTable<WatchedBoard>()
    /// The peers with watches, by the ids of the peers.
    var watcherTable = SlotTable<Watcher>()
    private var names: [String: WatchedBoardID] = [:]
    /// The changes for watches of all boards; nil if there is no such watch.
    var changedBoards: ChangedBoards?
    /// The boards with a round that is running.
    private var rounds = Queue<WatchedBoardID>()
    /// The number of boards whose next round waits for its time.
    private var waiting = 0
    /// The time at which contents that have not come back are lost, and whether watches wait for it.
    private(set) var settlesAt = settlingTime
    private(set) var isSettling = false

    /// - Parameter now: the start of the broker.
    mutating func started(at now: UInt64) {
        settlesAt = now.addingClamped(Self.settlingTime)
    }

    var isEmpty: Bool { watchTable.isEmpty }
    var count: Int { watchTable.count }

    // MARK: Begin and end

    /// Begins a watch of a board in a state. The caller answers it.
    ///
    /// - Parameter exists: whether the board exists in this lifetime of the broker, so that no contents of an earlier
    ///   one can come back.
    mutating func begin(
        _ message: Watch,
        of name: String,
        in state: BoardState,
        exists: Bool,
        on stream: PeerStream,
        _ account: Accounting.AccountID,
        _ context: inout BrokerContext
    ) throws(Failure) -> WatchID {
        try context.checkRoom(for: account, of: .watches, atMost: context.limits.watchesPerProcess)
        // Two objects, because the name of the board is remembered too while it is watched.
        let metadata = UInt64(name.utf8.count)
        let charge = try context.charge(account, objects: 2, metadata: metadata, for: "a watch of a pasteboard")
        context.accounting.acquire(of: .watches, for: account)
        let board = names[name] ?? watchedTable.insert(WatchedBoard(name: name, state: state))
        names[name] = board
        if name == Self.allBoards, changedBoards == nil { changedBoards = ChangedBoards() }
        let watcher = Self.watcher(of: stream.peer)
        if !watcherTable.holds(watcher) { watcherTable.insert(Watcher(), at: watcher) }
        var watch = BoardWatch(
            peer: stream.peer,
            stream: stream.id,
            board: board,
            indexAtBoard: 0,
            indexAtPeer: 0,
            granted: message.credit ?? 0,
            reported: state,
            charge: charge
        )
        if let since = message.sinceChangeCount {
            let epoch = message.sinceEpoch ?? state.count.epoch
            watch.reported.count = BoardCount(changeCount: since, epoch: epoch)
            if epoch != context.epoch { watch.known = since }
            watch.isDue = watch.reported.count != state.count
            if watch.isDue, !exists, epoch != context.epoch, context.now < settlesAt {
                watch.isDue = false
                awaitReclaim(of: board, &context)
            }
        }
        if let slot = watchedTable.find(board) { watch.indexAtBoard = watchedTable[slot].watches.count }
        if let slot = watcherTable.find(watcher) { watch.indexAtPeer = watcherTable[slot].watches.count }
        let isSendable = watch.isSendable
        let id = watchTable.insert(watch)
        if let slot = watchedTable.find(board) { watchedTable[slot].watches.append(id) }
        if let slot = watcherTable.find(watcher) { watcherTable[slot].watches.append(id) }
        if isSendable { addSendable(of: stream.peer, &context) }
        return id
    }

    /// Lets the next round of a board begin when no contents of an earlier broker can come back any more.
    private mutating func awaitReclaim(of board: WatchedBoardID, _ context: inout BrokerContext) {
        guard let slot = watchedTable.find(board) else { return }
        watchedTable[slot].isSettling = true
        isSettling = true
        context.check(by: settlesAt)
    }

    /// The watches of a peer have the peer's own id.
    private static func watcher(of peer: PeerID) -> SlotTable<Watcher>.ID {
        SlotTable<Watcher>.ID(slot: peer.slot, generation: peer.generation)
    }

    /// Ends a watch.
    ///
    /// - Returns: the stream of the watch, and the name of its board if no other watch of it is left.
    mutating func end(_ id: WatchID, _ context: inout BrokerContext) -> (stream: UInt64, unwatched: String?)? {
        guard let watch = watchTable.remove(id) else { return nil }
        context.accounting.release(of: .watches, for: watch.charge.account)
        context.release(watch.charge)
        leavePeer(watch.peer, at: watch.indexAtPeer, wasSendable: watch.isSendable)
        return (watch.stream, leaveBoard(watch.board, at: watch.indexAtBoard))
    }

    private mutating func leavePeer(_ peer: PeerID, at index: Int, wasSendable: Bool) {
        guard let slot = watcherTable.find(Self.watcher(of: peer)) else { return }
        if wasSendable { watcherTable[slot].sendable -= 1 }
        let last = watcherTable[slot].watches.removeLast()
        if index < watcherTable[slot].watches.count {
            watcherTable[slot].watches[index] = last
            if let moved = watchTable.find(last) { watchTable[moved].indexAtPeer = index }
        }
        if watcherTable[slot].watches.isEmpty { watcherTable.remove(slot) }
    }

    private mutating func leaveBoard(_ board: WatchedBoardID, at index: Int) -> String? {
        guard let slot = watchedTable.find(board) else { return nil }
        let last = watchedTable[slot].watches.removeLast()
        if index < watchedTable[slot].watches.count {
            // A running round may visit the moved watch twice, which has no effect.
            watchedTable[slot].watches[index] = last
            if let moved = watchTable.find(last) { watchTable[moved].indexAtBoard = index }
        }
        guard watchedTable[slot].watches.isEmpty else { return nil }
        if case .waiting = watchedTable[slot].phase { waiting -= 1 }
        let name = watchedTable.remove(slot).name
        names[name] = nil
        if name == Self.allBoards { changedBoards = nil }
        return name
    }

    /// Lets a watch send changes up to this number, counted from the start of its stream. A smaller number than before
    /// has no effect.
    mutating func allow(_ offset: UInt64, by id: WatchID, _ context: inout BrokerContext) {
        guard let slot = watchTable.find(id), offset > watchTable[slot].granted else { return }
        let wasSendable = watchTable[slot].isSendable
        watchTable[slot].granted = offset
        if !wasSendable, watchTable[slot].isSendable { addSendable(of: watchTable[slot].peer, &context) }
    }

    // MARK: Changes of boards

    /// The state of a board has changed.
    mutating func changed(_ name: String, to state: BoardState, isBack: Bool = false, _ context: inout BrokerContext) {
        guard let board = names[name], let slot = watchedTable.find(board), watchedTable[slot].state != state else {
            return
        }
        watchedTable[slot].state = state
        watchedTable[slot].isBack = isBack
        watchedTable[slot].clearer = nil
        watchedTable[slot].summaries.removeAll()
        requestRound(slot, &context)
    }

    /// Records that the last change of a board was a clear by a client.
    mutating func recordClear(of name: String, by clearer: Clearer) {
        changedBoards?.recordClear(of: name, by: clearer)
        guard let board = names[name], let slot = watchedTable.find(board) else { return }
        watchedTable[slot].clearer = clearer
    }

    /// Makes sure that all watches of a board are visited once more.
    private mutating func requestRound(_ slot: BoardSlot, _ context: inout BrokerContext) {
        switch watchedTable[slot].phase {
        case .quiet:
            watchedTable[slot].phase = .waiting
            waiting += 1
            beginRound(slot, &context)
        case .waiting: beginRound(slot, &context)
        case .running:
            // A round that has not visited a watch yet reports this change, too.
            guard watchedTable[slot].unvisited < watchedTable[slot].watches.count else { return }
            watchedTable[slot].phase = .running(isOutdated: true)
        }
    }

    /// Begins the round of a board that waits for it, if its time has come.
    private mutating func beginRound(_ slot: BoardSlot, _ context: inout BrokerContext) {
        guard watchedTable[slot].nextRound <= context.now else {
            return context.check(by: watchedTable[slot].nextRound)
        }
        waiting -= 1
        watchedTable[slot].phase = .running(isOutdated: false)
        watchedTable[slot].nextRound = context.now.addingClamped(Self.interval)
        watchedTable[slot].unvisited = watchedTable[slot].watches.count
        rounds.append(watchedTable.id(of: slot))
    }

    /// Begins the rounds whose time has come.
    mutating func checkRounds(_ context: inout BrokerContext) {
        if isSettling { endSettling(&context) }
        guard waiting > 0 else { return }
        var cursor: BoardSlot?
        while let slot = watchedTable.advance(&cursor) {
            guard case .waiting = watchedTable[slot].phase else { continue }
            beginRound(slot, &context)
        }
    }

    /// Begins rounds of the boards whose contents have not come back, if their time is over.
    private mutating func endSettling(_ context: inout BrokerContext) {
        guard settlesAt <= context.now else { return context.check(by: settlesAt) }
        isSettling = false
        var cursor: BoardSlot?
        while let slot = watchedTable.advance(&cursor) {
            guard watchedTable[slot].isSettling else { continue }
            watchedTable[slot].isSettling = false
            requestRound(slot, &context)
        }
    }

    var hasRounds: Bool { !rounds.isEmpty }

    /// Visits some watches of the board whose round began first.
    mutating func continueRound(_ context: inout BrokerContext) {
        guard let board = rounds.first else { return }
        let limit = context.cost + Self.pieceCost
        context.cost += 1
        // All watches of the board may have ended.
        guard let slot = watchedTable.find(board) else {
            rounds.popFirst()
            return
        }
        while context.cost < limit {
            // Backwards, so that the removal of a watch moves only visited ones.
            let index = min(watchedTable[slot].unvisited, watchedTable[slot].watches.count) - 1
            guard index >= 0 else { return endRound(slot, &context) }
            watchedTable[slot].unvisited = index
            mark(watchedTable[slot].watches[index], watchedTable[slot].state, &context)
            context.cost += 1
        }
    }

    private mutating func mark(_ id: WatchID, _ state: BoardState, _ context: inout BrokerContext) {
        guard let watch = watchTable.find(id), !watchTable[watch].isDue, watchTable[watch].reported != state else {
            return
        }
        watchTable[watch].isDue = true
        if watchTable[watch].isSendable { addSendable(of: watchTable[watch].peer, &context) }
    }

    private mutating func endRound(_ slot: BoardSlot, _ context: inout BrokerContext) {
        rounds.popFirst()
        guard case .running(isOutdated: true) = watchedTable[slot].phase else {
            watchedTable[slot].phase = .quiet
            return
        }
        watchedTable[slot].phase = .waiting
        waiting += 1
        beginRound(slot, &context)
    }

    // MARK: Changes for peers

    /// A peer has one more watch with a change to send.
    private mutating func addSendable(of peer: PeerID, _ context: inout BrokerContext) {
        guard let slot = watcherTable.find(Self.watcher(of: peer)) else { return }
        watcherTable[slot].sendable += 1
        guard !watcherTable[slot].isListed else { return }
        watcherTable[slot].isListed = true
        context.perform(.sendChanges(peer))
    }

    /// A change that a peer has not been sent.
    struct DueChange {
        let watch: WatchID
        let stream: UInt64
        let board: WatchedBoardID
        var name: String
        var state: BoardState
        var clearer: Clearer?
        /// The number of changes since the reported one that are left out; nil if it is not known.
        var missed: UInt64?
        /// Whether only the version of the contents differs from the reported state.
        var isOfVersion: Bool
        /// Whether the state is the reported one: contents that the watch knows have come back before it had credit.
        var isKnown: Bool
        /// The contents as peers see them, as far as that is known already.
        var summaries: [ContentSummary]
        /// The change of one of all boards that are watched.
        var changed: ChangedBoards.Entry?
        /// The greatest change count of an earlier broker that is no change if it comes back.
        var known: UInt64?
    }

    /// The next change to send to a peer; nil if there is none now. The watches of the peer take turns.
    mutating func nextDue(of peer: PeerID, _ context: inout BrokerContext) -> DueChange? {
        while let change = nextMarked(of: peer, &context) {
            guard change.isKnown else { return change }
            reported(change, isSent: false)
        }
        return nil
    }

    private mutating func nextMarked(of peer: PeerID, _ context: inout BrokerContext) -> DueChange? {
        guard let watcher = watcherTable.find(Self.watcher(of: peer)) else { return nil }
        guard watcherTable[watcher].sendable > 0 else {
            watcherTable[watcher].isListed = false
            return nil
        }
        let count = watcherTable[watcher].watches.count
        for distance in 1...count {
            let index = (watcherTable[watcher].last + distance) % count
            let id = watcherTable[watcher].watches[index]
            guard let slot = watchTable.find(id), watchTable[slot].isSendable,
                let board = watchedTable.find(watchTable[slot].board)
            else { continue }
            context.cost += distance / Cost.walkedWatches
            watcherTable[watcher].last = index
            return change(of: slot, board, &context)
        }
        return nil
    }

    private func change(
        of watch: SlotTable<BoardWatch>.Slot,
        _ board: BoardSlot,
        _ context: inout BrokerContext
    ) -> DueChange {
        let (state, reported) = (watchedTable[board].state, watchTable[watch].reported)
        var change = DueChange(
            watch: watchTable.id(of: watch),
            stream: watchTable[watch].stream,
            board: watchTable[watch].board,
            name: watchedTable[board].name,
            state: state,
            clearer: watchedTable[board].clearer,
            isOfVersion: state.count == reported.count && state.version != reported.version,
            isKnown: state == reported,
            summaries: watchedTable[board].summaries
        )
        // The writer of saved contents has come back. A watch that knew them before was not told of a loss.
        if change.isOfVersion, watchedTable[board].isBack, watchTable[watch].known >= state.count.changeCount {
            change.isKnown = true
        }
        if change.name == Self.allBoards {
            var walked = 0
            let first = changedBoards?.first(after: reported.count.changeCount, walked: &walked)
            context.cost += walked / Cost.walkedWatches
            change.isKnown = first == nil
            if let (name, entry) = first {
                change.name = name
                change.state.count = BoardCount(changeCount: entry.total, epoch: state.count.epoch)
                change.clearer = entry.clearer
                change.isOfVersion = entry.lastOfContents <= reported.count.changeCount
                change.summaries = entry.summaries
                change.changed = entry
                if entry.kind == .reclaim { change.known = watchTable[watch].known }
            }
        }
        let (count, known) = (change.state.count.changeCount, reported.count.changeCount)
        let steps = count - min(count, known)
        if state.count.epoch == reported.count.epoch { change.missed = steps - min(steps, 1) }
        return change
    }

    /// A due change was reported; if it was not sent, because it has nothing that the peer may see, it needs no credit.
    mutating func reported(_ change: DueChange, isSent: Bool) {
        guard let slot = watchTable.find(change.watch), let board = watchedTable.find(change.board) else { return }
        watchTable[slot].reported = change.state
        // Further boards may have changed.
        watchTable[slot].isDue = change.changed != nil && change.state != watchedTable[board].state
        if isSent { watchTable[slot].sent += 1 }
        guard !watchTable[slot].isSendable else { return }
        guard let watcher = watcherTable.find(Self.watcher(of: watchTable[slot].peer)) else { return }
        watcherTable[watcher].sendable -= 1
    }

    mutating func remember(_ summary: ContentSummary, of change: DueChange) {
        if change.changed != nil {
            changedBoards?.remember(summary, of: change.name)
        } else if let slot = watchedTable.find(change.board) {
            watchedTable[slot].summaries.append(summary)
        }
    }
}
