import PasteboardWire

// Watches of boards: requests of peers, changes of boards, and the changes that are sent to peers.
extension BrokerState {
    /// The size of a piece of the changes of a peer, in bytes of frames. With what may wait for a peer when a piece
    /// begins, it is less than what makes the peer's requests wait.
    private static let changesSize = 8 << 10

    mutating func watch(_ message: Watch, on stream: PeerStream) throws(Failure) {
        try Feature.check(message.requires)
        let name = message.board ?? BoardName.general
        try BoardName.check(name)
        let (state, account) = (state(ofBoard: name), peers[stream.slot].account)
        let exists = boards.exists(name)
        let id = try watches.begin(message, of: name, in: state, exists: exists, on: stream, account, &world.context)
        boards.setWatched(true, name, world.context)
        peers.setTarget(.watch(id), of: stream.id, at: stream.peer)
        var registered = Registered()
        registered.changeCount = state.count.changeCount
        registered.epoch = state.count.epoch
        world.context.send(registered, on: stream)
    }

    /// Takes credit on a client's stream that is not a load's.
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
        if let name = watch.unwatched { boards.setWatched(false, name, world.context) }
    }

    // MARK: Changes

    /// The contents of a board were replaced or removed, or their version has grown.
    @inline(__always)
    mutating func boardChanged(_ name: String) {
        if !watches.isEmpty { watches.changed(name, to: state(ofBoard: name), &world.context) }
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
        change.changeCount = due.state.count.changeCount
        change.epoch = due.state.count.epoch
        change.missed = due.missed
        change.clearerProcess = due.clearer?.process
        change.clearerLabel = due.clearer?.label
        let id = boards.publication(on: due.name)
        if let id, let publication = world.contents.visible(id, to: peers[slot].access) {
            let visibilities = world.contents.visibilities(of: publication, to: peers[slot].access)
            let summary: ContentSummary
            if let known = watches.summary(of: due.board, for: visibilities) {
                summary = known
            } else {
                summary = world.contents.summary(of: publication, for: visibilities, &world.context)
                watches.remember(summary, of: due.board)
            }
            world.contents.describe(id, itemCount: summary.itemCount, in: &change, world.context)
            change.types = summary.types
        }
        // A new version of contents of which the peer sees nothing is no change for it.
        let isSent = change.handle != nil || !due.isOfVersion
        if isSent { world.context.send(change, to: peer, stream: due.stream) }
        watches.reported(due, isSent: isSent)
    }
}
