import PasteboardWire

// Requests: frames that open a stream. An error of one fails the request, not the connection.
extension BrokerState {
    mutating func request(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        _ slot: Peers.Slot
    ) {
        do throws(Failure) {
            guard !ending.isDraining else {
                let isPassedOn = ending.isTakeover
                throw isPassedOn ? restarting : Failure(.brokerRestarted, "the broker is shutting down; try again")
            }
            switch kind {
            case .load, .list, .status, .wait, .watch, .createBoard:
                // The answer would reach no peer.
                guard !peers[slot].isDeaf else { return }
            default: break
            }
            if kind != .load { world.context.cost += payload.count / Cost.metadata }
            switch kind {
            case .write: try beginWrite(try Write(decoding: payload), stream: stream, from: peer)
            case .load: try load(payload, stream: stream, from: peer, slot)
            case .list: try list(try List(decoding: payload), stream: stream, for: peer, slot)
            case .drag: try beginDrag(try Drag(decoding: payload), stream: stream, from: peer)
            case .destination: try register(try Destination(decoding: payload), stream: stream, from: peer)
            case .wait: try wait(try Wait(decoding: payload), stream: stream, for: peer)
            case .clear: try clear(try Clear(decoding: payload), stream: stream, from: peer)
            case .watch: try watch(try Watch(decoding: payload), stream: stream, by: peer, slot)
            case .createBoard: try createBoard(try CreateBoard(decoding: payload), stream: stream, by: peer, slot)
            case .status: try status(try Status(decoding: payload), stream: stream, for: peer, slot)
            case .stop: try stop(try Stop(decoding: payload), stream: stream, from: peer)
            default: throw Failure(.protocolViolation, "\(kind) is not a request")
            }
        } catch {
            world.context.send(error, to: peer, stream: stream)
        }
    }

    // MARK: Loads

    /// Begins a load. A plain one is read in place and decided without a copy; both ways meet at the offer.
    @inline(__always)
    private mutating func load(
        _ payload: Span<UInt8>,
        stream: UInt64,
        from peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        guard readsLoadsInPlace, let fields = LoadFields(plain: payload),
            let offer = plainOffer(fields, payload, to: slot)
        else {
            let load = try Load(decoding: payload)
            world.context.cost += payload.count / Cost.metadata
            return try self.load(load, stream: stream, from: peer, slot)
        }
        try loads.checkRoom(for: peer, limit: world.context.limits.loadsPerConnection)
        let terms = LoadTerms(
            destination: peer,
            stream: stream,
            account: peers[slot].account,
            process: peers[slot].process,
            credit: fields.credit,
            maximumByteCount: fields.maximumByteCount,
            timeoutMilliseconds: fields.timeoutMilliseconds,
            isDescriptorWelcome: fields.descriptorWelcome,
            isInPlaceWelcome: fields.inPlaceWelcome
        )
        try loads.begin(terms, offer, in: &world)
    }

    @inline(__always)
    private mutating func plainOffer(
        _ load: borrowing LoadFields,
        _ payload: Span<UInt8>,
        to slot: Peers.Slot
    ) -> Offer? {
        let publication: PublicationID?
        if let handle = load.handle {
            publication = PublicationID(rawValue: handle)
        } else if let board = load.board {
            publication = boards.publication(on: payload.extracting(board))
        } else {
            publication = boards.general
        }
        guard let publication, let found = world.contents.find(publication) else { return nil }
        let isLink = peers.isLink(at: slot)
        return world.contents.plainOffer(
            load,
            payload,
            in: found,
            isLink: isLink,
            firstByte: world.context.limits.firstByte
        )
    }

    private mutating func load(_ load: Load, stream: UInt64, from peer: PeerID, _ slot: Peers.Slot) throws(Failure) {
        world.context.cost += load.accepts.count * Cost.accept
        try Feature.check(load.requires, for: load.ifChangeCount == nil ? nil : .condition)
        try AcceptList.check(load.accepts, preference: load.preference)
        try loads.checkRoom(for: peer, limit: world.context.limits.loadsPerConnection)
        let publication = try publication(of: load, for: peer, peers[slot].access)
        if let found = world.contents.find(publication), world.contents[found].isRestricted {
            world.context.cost += world.contents[found].items.count * Cost.checkedItem
        }
        let offer = try world.contents.offer(load, in: publication, to: peers[slot].access, world.context)
        let session = world.contents.session(of: publication)
        let isMove = session != nil && isMove(of: publication)
        let terms = LoadTerms(
            destination: peer,
            stream: stream,
            account: peers[slot].account,
            process: peers[slot].process,
            credit: load.credit ?? 0,
            maximumByteCount: load.maximumByteCount,
            timeoutMilliseconds: load.timeoutMilliseconds,
            isDescriptorWelcome: load.descriptorWelcome == true,
            isInPlaceWelcome: load.inPlaceWelcome == true && !isMove
        )
        try loads.begin(terms, offer, in: &world)
        if let session { sessions.loadBegan(offer.part, of: session) }
    }

    /// The publication that a load names: by its handle, or as the contents of a board.
    private mutating func publication(
        of load: Load,
        for peer: PeerID,
        _ access: AccessContext
    ) throws(Failure) -> PublicationID {
        if let handle = load.handle {
            let id = PublicationID(rawValue: handle)
            guard let slot = world.contents.visible(id, to: access), world.contents[slot].isCurrent else {
                throw .noContents
            }
            if let session = world.contents[slot].session {
                try checkWindow(of: session, for: peer)
            } else if let condition = try BoardCondition(load.ifChangeCount) {
                try boards.check(condition, on: world.contents[slot].boardName)
            }
            return id
        }
        let name = load.board ?? BoardName.general
        try BoardName.check(name)
        try boards.check(BoardCondition(load.ifChangeCount), on: name)
        guard let id = boards.publication(on: name), world.contents.visible(id, to: access) != nil else {
            throw Failure.empty(
                name,
                cleared: boards.timeSinceEviction(from: name, for: access, at: world.context.elapsed)
            )
        }
        return id
    }

    // MARK: Writes

    private mutating func beginWrite(_ write: Write, stream: UInt64, from peer: PeerID) throws(Failure) {
        // First, because the bytes may follow at once, also those of a write that fails here.
        if write.terms?.isConcealed == true { world.context.perform(.conceal(peer)) }
        try Feature.check(write.requires, for: write.ifChangeCount == nil ? nil : .condition)
        try Feature.check(write.requires, for: write.terms == nil ? nil : .terms)
        try Feature.check(write.requires, for: write.handle == nil ? nil : .additions)
        try Feature.check(write.requires, for: write.keepsPromises == nil ? nil : .handOver)
        try Feature.check(write.requires, for: write.evictsNothing == nil ? nil : .eviction)
        let isReclaim = write.reclaimsChangeCount != nil || write.reclaimsEpoch != nil
        try Feature.check(write.requires, for: write.ifEpoch != nil || isReclaim ? .reclaim : nil)
        let condition = try BoardCondition(write.ifChangeCount, epoch: write.ifEpoch)
        let reclaimed = try BoardCount(reclaimedBy: write)
        let evictsNothing = write.evictsNothing == true
        if let handle = write.handle {
            guard write.terms == nil else {
                throw Failure(.invalidArgument, "an addition has no terms; those of the contents stay")
            }
            let slot = try world.contents.checkAddition(to: handle, by: peer)
            let keepsPromises = write.keepsPromises == true
            guard !keepsPromises || !world.contents.isConcealed(slot) else {
                let text = "the contents are sensitive and cannot be handed over; they end with their source"
                throw Failure(.concealed, text)
            }
            try boards.check(condition, on: world.contents[slot].boardName)
            let target = PendingWrite.Target.contents(
                PublicationID(rawValue: handle),
                condition,
                keepsPromises: keepsPromises
            )
            return try beginWrite(
                to: target,
                isConcealed: world.contents.isConcealed(slot),
                evictsNothing: evictsNothing,
                stream: stream,
                from: peer
            )
        }
        guard write.keepsPromises == nil else {
            throw Failure(.invalidArgument, "keeps_promises needs the handle of the contents")
        }
        try write.terms?.check()
        let name = write.board ?? BoardName.general
        try BoardName.check(name)
        try boards.check(condition, on: name)
        if let reclaimed { _ = try checkReclaim(of: reclaimed, on: name, by: peer) }
        let target = PendingWrite.Target.board(name, condition, reclaims: reclaimed)
        let isConcealed = write.terms?.isConcealed == true
        try beginWrite(
            to: target,
            terms: write.terms,
            isConcealed: isConcealed,
            evictsNothing: evictsNothing,
            stream: stream,
            from: peer
        )
    }

    mutating func beginWrite(
        to target: PendingWrite.Target,
        terms: ContentTerms? = nil,
        isConcealed: Bool = false,
        evictsNothing: Bool = false,
        stream: UInt64,
        from peer: PeerID
    ) throws(Failure) {
        guard let slot = peers.find(peer) else { return }
        let account = peers[slot].account
        let id = try world.contents.beginWrite(
            to: target,
            terms: terms,
            isConcealed: isConcealed,
            evictsNothing: evictsNothing,
            stream: stream,
            by: peer,
            account,
            &world.context
        )
        peers.setTarget(.write(id), of: stream, at: peer)
        refuseDisplaced()
    }

    mutating func commit(_ id: WriteID, _ commit: Commit, stream: UInt64, from peer: PeerID) throws(Failure) {
        try world.contents.check(commit, of: id)
        guard let target = world.contents.target(of: id), let slot = peers.find(peer) else { return }
        switch target {
        case .board(let name, let condition, let reclaimed):
            try self.commit(id, to: name, condition, reclaiming: reclaimed, stream: stream, from: peer, slot)
        case .session(let drag):
            try commitSession(drag, id, stream: stream, from: peer, slot)
        case .addition(let session):
            try commitAddition(to: session, id, stream: stream, from: peer)
        case .contents(let publication, let condition, let keepsPromises):
            try commitAddition(
                to: publication,
                condition,
                keepsPromises: keepsPromises,
                id,
                stream: stream,
                from: peer,
                slot
            )
        }
    }

    /// Adds a write's items to contents of a board.
    private mutating func commitAddition(
        to publication: PublicationID,
        _ condition: BoardCondition?,
        keepsPromises: Bool,
        _ id: WriteID,
        stream: UInt64,
        from peer: PeerID,
        _ writer: Peers.Slot
    ) throws(Failure) {
        let slot = try world.contents.checkAddition(to: publication.rawValue, by: peer)
        let name = world.contents[slot].boardName
        try boards.check(condition, on: name)
        try checkEvictsNothing(id, to: nil)
        guard
            let addition = try world.contents.addition(
                of: id,
                to: slot,
                keepsPromises: keepsPromises,
                world.context.limits
            )
        else { return }
        world.contents.add(id, addition, to: slot, &world.context)
        peers.setTarget(nil, of: stream, at: peer)
        world.context.counters.writes += 1
        sendCommitted(publication, on: name, stream: stream, to: peer, writer)
        world.context.send(End(), to: peer, stream: stream)
        boardChanged(name)
    }

    private mutating func commit(
        _ id: WriteID,
        to name: String,
        _ condition: BoardCondition?,
        reclaiming reclaimed: BoardCount?,
        stream: UInt64,
        from peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        try boards.check(condition, on: name)
        var replaced: PublicationID?
        if let reclaimed { replaced = try checkReclaim(of: reclaimed, on: name, by: peer) }
        if let replaced, world.contents.returnToWriter(replaced, writtenBy: id, &world.context) {
            boardChanged(name)
            return answerCommit(of: replaced, on: name, stream: stream, by: peer, slot)
        }
        guard let account = world.contents.account(of: id) else { return }
        try boards.checkRoom(for: name, of: account, world.context)
        try checkEvictsNothing(id, to: name)
        let (access, label) = (peers[slot].access, peers[slot].label)
        guard let publication = world.contents.publish(id, by: access, label: label, board: name, &world.context) else {
            return
        }
        let change: Boards.Change
        if let reclaimed {
            if let replaced { world.contents.continueVersion(of: publication, after: replaced) }
            let restored = boards.restore(name, to: publication, as: reclaimed)
            change = changed(restored, of: name, reason: .replaced)
        } else {
            change = set(name, to: publication, reason: .replaced)
        }
        if change.isCharged { world.context.accounting.take(of: .boards, for: account) }
        if let displaced = world.contents.takeDisplaced(by: publication, world.context) {
            let failure = Failure(.superseded, "the contents were replaced, and the broker has no room for both")
            loads.failAll(of: displaced, with: failure, in: &world)
        }
        answerCommit(of: publication, on: name, stream: stream, by: peer, slot)
    }

    /// Tells a writer that its contents are on a board. Its stream lasts as long as they do.
    private mutating func answerCommit(
        of publication: PublicationID,
        on name: String,
        stream: UInt64,
        by peer: PeerID,
        _ slot: Peers.Slot
    ) {
        peers.setTarget(.publication(publication), of: stream, at: peer)
        world.context.counters.writes += 1
        sendCommitted(publication, on: name, stream: stream, to: peer, slot)
    }

    private mutating func sendCommitted(
        _ publication: PublicationID,
        on name: String,
        stream: UInt64,
        to peer: PeerID,
        _ slot: Peers.Slot
    ) {
        var committed = Committed(boards.count(of: name))
        committed.handle = publication.rawValue
        committed.clearedBoards = Array(makeRoom(for: peers[slot].access).prefix(WireLimits.clearedBoards))
        if world.context.savesContents, savedPlaces(of: publication).contains(.manager) {
            committed.isUnsaved = world.context.isSavingBehind
        }
        world.context.send(committed, to: peer, stream: stream)
    }

    /// Throws unless a peer may write contents again under a change count that they had.
    ///
    /// - Returns: the contents whose place they take, if the board still has them.
    private mutating func checkReclaim(
        of count: BoardCount,
        on name: String,
        by peer: PeerID
    ) throws(Failure) -> PublicationID? {
        guard let slot = peers.find(peer), let old = try boards.checkReclaim(of: count, on: name) else { return nil }
        try world.contents.checkReclaim(of: old, by: peers[slot].process)
        return old
    }
}
