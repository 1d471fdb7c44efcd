import PasteboardWire

// Boards: their contents, clears and removals, and the boards that clients create.
extension BrokerState {
    /// Sets the contents of a board, where nil removes them.
    ///
    /// - Parameter origin: that of the contents, or of the clear; nil if the board is emptied for another reason.
    @discardableResult
    mutating func set(
        _ name: String,
        to publication: PublicationID?,
        reason: EndReason,
        origin: BoardOrigin? = nil
    ) -> Boards.Change {
        changed(boards.set(name, to: publication, origin: origin, world.context), of: name, reason: reason)
    }

    /// Ends the contents that a board has held before a change.
    mutating func changed(
        _ change: Boards.Change,
        of name: String,
        reason: EndReason,
        kind: ChangedBoards.Kind = .contents
    ) -> Boards.Change {
        if world.context.saving != .none, !exchange(&world.context.hasChangedBoards, with: true) {
            world.context.perform(.boardsChanged)
        }
        if let replaced = change.replaced {
            if world.context.saving == .working { world.context.perform(.removeSaved(replaced)) }
            let owner = world.contents.leaveBoard(replaced, isCharged: change.isCharged, reason: reason, &world.context)
            if let owner { peers.setTarget(nil, of: owner.stream, at: owner.peer) }
        }
        recordLinks(of: name)
        boardChanged(name, kind)
        return change
    }

    /// Notes the links to which the name of a board is known now, because they see its contents.
    mutating func recordLinks(of name: String) {
        guard let id = boards.publication(on: name) else { return }
        boards.mark(name, knownTo: world.contents.seeingLinks(of: id))
    }

    mutating func clear(_ clear: Clear, on stream: PeerStream) throws(Failure) {
        try Feature.check(clear.requires, for: clear.ifChangeCount == nil ? nil : .condition)
        try Feature.check(clear.requires, for: clear.removesBoard == nil ? nil : .boards)
        try Feature.check(clear.requires, for: clear.ifEpoch == nil ? nil : .reclaim)
        try Feature.check(clear.requires, for: clear.origin == nil ? nil : .links)
        let origin = try origin(clear.origin, on: stream)
        let condition = try BoardCondition(clear.ifChangeCount, epoch: clear.ifEpoch)
        let name = clear.board ?? BoardName.general
        try BoardName.check(name)
        let removesBoard = clear.removesBoard == true
        guard !removesBoard || !BoardName.standard.contains(name) else {
            throw Failure(.notPermitted, "pasteboard \(name) cannot be removed; clear it without removing it")
        }
        try boards.check(condition, on: name)
        try boards.check(origin, on: name)
        world.context.counters.clears += 1
        world.context.cost += boards.rememberedCount / Cost.walkedBoards
        let changeCount: UInt64
        var isChanged = true
        // Names that a client tries out must not displace boards that are remembered. The few standard ones do not, and
        // after a restart their earlier contents must not come back once they were cleared.
        if !boards.exists(name), !BoardName.standard.contains(name) {
            changeCount = boards.changeCount(of: name)
            isChanged = false
        } else if removesBoard {
            let (last, creator) = remove(name)
            changeCount = last
            if let creator {
                var end = End()
                end.reason = .cleared
                world.context.send(end, to: creator.peer, stream: creator.stream)
            }
        } else {
            let origin = origin ?? boards.newOrigin(at: world.context.wallTime)
            changeCount = set(name, to: nil, reason: .cleared, origin: origin).changeCount
        }
        if isChanged, !watches.isEmpty {
            let clearer = Clearer(process: peers[stream.slot].process.pid, label: peers[stream.slot].label)
            watches.recordClear(of: name, by: clearer)
        }
        let count = BoardCount(changeCount: changeCount, epoch: world.context.epoch)
        world.context.send(Committed(count), on: stream)
        world.context.send(End(), on: stream)
    }

    /// The origin of a write or clear, if its peer has sent one.
    func origin(_ message: Origin?, on stream: PeerStream) throws(Failure) -> BoardOrigin? {
        guard let message else { return nil }
        let now = world.context.wallTime
        // A bridge gives no moment for what somebody has just copied on its display, so its moment is now.
        let moment = peers.isLink(at: stream.slot) ? nil : boards.newOrigin(at: now).moment
        guard moment == nil || peers[stream.slot].access.carriesOrigins else {
            throw Failure(.invalidArgument, "only a link, or a client with carries_origins, may send an origin")
        }
        return try BoardOrigin(message, orFrom: moment, at: now)
    }

    // MARK: Created boards

    mutating func createBoard(_ message: CreateBoard, on stream: PeerStream) throws(Failure) {
        try Feature.check(message.requires)
        let account = peers[stream.slot].account
        let name = boards.unusedName(world.context.epoch)
        try boards.checkRoom(for: name, of: account, world.context)
        let charge = try world.context.charge(account, metadata: UInt64(name.utf8.count), for: "a pasteboard")
        world.context.accounting.acquire(of: .boards, for: account)
        boards.create(name, by: BoardCreator(peer: stream.peer, stream: stream.id, charge: charge))
        // Like new contents, it may need the place of a board whose writer has ended.
        world.contents.hasNewContents = true
        peers.setTarget(.board(name), of: stream.id, at: stream.peer)
        var registered = Registered()
        registered.name = name
        world.context.send(registered, on: stream)
    }

    /// Clears and removes a board. The stream of its creator is over.
    ///
    /// - Returns: the last change count of the board, and its creator.
    @discardableResult
    mutating func remove(_ name: String) -> (changeCount: UInt64, creator: BoardCreator?) {
        let changeCount = set(name, to: nil, reason: .cleared).changeCount
        let creator = boards.remove(name)
        if let creator {
            peers.setTarget(nil, of: creator.stream, at: creator.peer)
            world.context.accounting.release(of: .boards, for: creator.charge.account)
            world.context.release(creator.charge)
        }
        return (changeCount, creator)
    }
}
