import PasteboardWire

// Watches of boards: requests of peers, changes of boards, and the changes that are sent to peers.
extension BrokerState {
    /// The size of a piece of the changes of a peer, in bytes of frames. With what may wait for a peer when a piece
    /// begins, it is less than what makes the peer's requests wait.
    private static let changesSize = 8 << 10

    mutating func watch(_ message: Watch, on stream: PeerStream) throws(Failure) {
        try Feature.check(message.requires, for: message.allBoards == nil ? nil : .allBoards)
        try Feature.check(message.requires, for: message.destinations == nil ? nil : .links)
        if message.destinations == true { return try watchDestinations(message, on: stream) }
        if message.allBoards == true { return try watchAllBoards(message, on: stream) }
        let name = message.board ?? BoardName.general
        try BoardName.check(name)
        let state = state(ofBoard: name)
        try begin(message, of: name, in: state, exists: boards.exists(name), on: stream)
        boards.setWatched(true, name, world.context)
    }

    private mutating func watchDestinations(_ message: Watch, on stream: PeerStream) throws(Failure) {
        guard message.board == nil, message.allBoards != true else {
            throw Failure(.invalidArgument, "a watch of the destinations must not name a pasteboard")
        }
        try begin(message, of: Watches.destinations, in: destinationsState, exists: true, on: stream)
    }

    var destinationsState: BoardState {
        BoardState(count: BoardCount(changeCount: sessions.destinationChanges, epoch: world.context.epoch))
    }

    /// A destination was registered or has ended.
    mutating func destinationsChanged() {
        if !watches.isEmpty { watches.changed(Watches.destinations, to: destinationsState, &world.context) }
    }

    private mutating func watchAllBoards(_ message: Watch, on stream: PeerStream) throws(Failure) {
        guard message.board == nil else {
            throw Failure(.invalidArgument, "a watch of all pasteboards must not name one")
        }
        var message = message
        if let since = message.sinceChangeCount {
            // A change that this broker has made is new for a client that knows another one, whatever the counts.
            let isKnown = message.sinceEpoch ?? world.context.epoch == world.context.epoch
            message.sinceChangeCount = min(since, isKnown ? boards.totalChangeCount : boards.firstTotalChangeCount)
        }
        let total = BoardCount(changeCount: boards.totalChangeCount, epoch: world.context.epoch)
        try begin(message, of: Watches.allBoards, in: BoardState(count: total), exists: true, on: stream)
        if let since = message.sinceChangeCount {
            world.context.cost += boards.rememberedCount / Cost.walkedBoards
            watches.changedBoards?.add(boards.changed(after: since))
        }
    }

    private mutating func begin(
        _ message: Watch,
        of name: String,
        in state: BoardState,
        exists: Bool,
        on stream: PeerStream
    ) throws(Failure) {
        let account = peers[stream.slot].account
        let id = try watches.begin(message, of: name, in: state, exists: exists, on: stream, account, &world.context)
        peers.setTarget(.watch(id), of: stream.id, at: stream.peer)
        var registered = Registered()
        registered.changeCount = state.count.changeCount
        registered.epoch = state.count.epoch
        world.context.send(registered, on: stream)
    }

    /// Handles credit on a client's stream that is not a load's.
    mutating func creditWatch(_ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        guard case .watch(let id)? = peers.knownTarget(of: stream.id, at: stream.slot) else {
            return try checkHasEnded(stream, for: .credit)
        }
        do throws(Failure) {
            watches.allow(try Credit(decoding: payload).offset ?? 0, by: id, &world.context)
        } catch {
            endWatch(id, of: stream.peer)
            world.context.send(error, on: stream)
        }
    }

    mutating func endWatch(_ id: WatchID, of peer: PeerID) {
        guard let watch = watches.end(id, &world.context) else { return }
        peers.setTarget(nil, of: watch.stream, at: peer)
        let others = [Watches.allBoards, Watches.destinations]
        if let name = watch.unwatched, !others.contains(name) { boards.setWatched(false, name, world.context) }
    }

    // MARK: Changes

    /// The contents of a board were replaced or removed, or their version has grown.
    @inline(__always)
    mutating func boardChanged(_ name: String, _ kind: ChangedBoards.Kind = .contents) {
        if !watches.isEmpty { reportChange(of: name, kind) }
    }

    /// The version of the contents of a board has grown.
    mutating func versionChanged(of name: String, _ kind: ChangedBoards.Kind = .version) {
        boards.countVersion(of: name)
        boardChanged(name, kind)
    }

    private mutating func reportChange(of name: String, _ kind: ChangedBoards.Kind) {
        watches.changed(name, to: state(ofBoard: name), isBack: kind == .reclaim, &world.context)
        guard watches.changedBoards != nil else { return }
        let total = BoardCount(changeCount: boards.totalChangeCount, epoch: world.context.epoch)
        let links = boards.linksKnowing(name)
        watches.changedBoards?.record(name, kind, total: total.changeCount, knownTo: links)
        watches.changedBoards?.forget(boards, limit: world.context.limits.boards)
        watches.changed(Watches.allBoards, to: BoardState(count: total), &world.context)
    }

    private func state(ofBoard name: String) -> BoardState {
        let version = boards.publication(on: name).map { world.contents.version(of: $0) } ?? 0
        return BoardState(count: boards.count(of: name), version: version)
    }

    /// Whether `continueRounds` has work.
    package var hasRounds: Bool { mutating get { watches.hasRounds } }

    /// Marks watches of boards that have changed, as far as that takes one piece.
    package mutating func continueRounds() {
        watches.continueRound(&world.context)
    }

    /// Sends a piece of the changes that a peer has not been sent, and returns whether none is left.
    package mutating func continueChanges(for peer: PeerID) -> Bool {
        sendPiece(to: peer, size: Self.changesSize) { state, slot in
            guard let due = state.watches.nextDue(of: peer, &state.world.context) else { return false }
            state.report(due, to: peer, slot)
            return true
        }
    }

    private mutating func report(_ due: Watches.DueChange, to peer: PeerID, _ slot: Peers.Slot) {
        var change = Change()
        var count = due.state.count
        if due.changed != nil {
            change.board = due.name
            change.totalChangeCount = count.changeCount
            count = boards.count(of: due.name)
        }
        // Contents that come back are no change for a watch that knows them.
        if let known = due.known, count.epoch != world.context.epoch, count.changeCount <= known {
            return watches.reported(due, isSent: false)
        }
        change.changeCount = count.changeCount
        change.epoch = count.epoch
        change.missed = due.missed
        change.clearerProcess = due.clearer?.process
        change.clearerLabel = due.clearer?.label
        let (id, access) = (boards.publication(on: due.name), peers[slot].access)
        if let id, let publication = world.contents.visible(id, to: access) {
            let visibilities = world.contents.visibilities(of: publication, to: access)
            let summary: ContentSummary
            if let known = due.summaries.first(where: { $0.visibilities == visibilities }) {
                summary = known
            } else {
                summary = world.contents.summary(of: publication, for: visibilities, &world.context)
                watches.remember(summary, of: due)
            }
            world.contents.describe(id, itemCount: summary.itemCount, in: &change, world.context)
            change.types = summary.types
        }
        if id == nil || change.handle != nil { change.origin = origin(of: due.name, to: slot) }
        // A new version of contents of which the peer sees nothing is no change for it. A link is not told the name of
        // a board that has only had contents which do not exist for it.
        let isHidden = due.isOfVersion || access.isLink && due.changed?.knownTo.include(access) == false
        let isSent = change.handle != nil || !isHidden
        if isSent { world.context.send(change, to: peer, stream: due.stream) }
        watches.reported(due, isSent: isSent)
    }
}
