import PasteboardWire

// Requests: frames that open a stream. An error of one fails the request, not the connection.
extension BrokerState {
    mutating func request(_ kind: FrameKind, _ payload: Span<UInt8>, on stream: PeerStream) {
        do throws(Failure) {
            guard !ending.isDraining else {
                throw restarting
            }
            switch kind {
            case .load, .list, .status, .watch, .createBoard:
                // The answer would reach no peer.
                guard !peers[stream.slot].isDeaf else { return }
            default: break
            }
            if kind != .load { world.context.cost += payload.count / Cost.metadata }
            switch kind {
            case .write: try beginWrite(try Write(decoding: payload), on: stream)
            case .load: try load(payload, on: stream)
            case .list: try list(try List(decoding: payload), on: stream)
            case .drag: try beginDrag(try Drag(decoding: payload), on: stream)
            case .destination: try register(try Destination(decoding: payload), on: stream)
            case .clear: try clear(try Clear(decoding: payload), on: stream)
            case .watch: try watch(try Watch(decoding: payload), on: stream)
            case .createBoard: try createBoard(try CreateBoard(decoding: payload), on: stream)
            case .status: try status(try Status(decoding: payload), on: stream)
            case .stop: try stop(try Stop(decoding: payload), on: stream)
            default: throw Failure(.protocolViolation, "\(kind) is not a request")
            }
        } catch {
            world.context.send(error, on: stream)
        }
    }

    // MARK: Loads

    /// Begins a load. A plain one is read in place and decided without a copy; both ways meet at the offer.
    @inline(__always)
    private mutating func load(_ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        guard readsLoadsInPlace, let fields = LoadFields(plain: payload),
            let offer = plainOffer(fields, payload, isLink: peers.isLink(at: stream.slot))
        else {
            let load = try Load(decoding: payload)
            world.context.cost += payload.count / Cost.metadata
            return try self.load(load, on: stream)
        }
        try loads.checkRoom(for: stream.peer, limit: world.context.limits.loadsPerConnection)
        let terms = LoadTerms(
            destination: stream.peer,
            stream: stream.id,
            account: peers[stream.slot].account,
            credit: fields.credit,
            maximumByteCount: fields.maximumByteCount,
            timeoutMilliseconds: fields.timeoutMilliseconds,
            isDescriptorWelcome: fields.descriptorWelcome,
            isInPlaceWelcome: fields.inPlaceWelcome
        )
        try loads.begin(terms, offer, in: &world)
    }

    @inline(__always)
    private mutating func plainOffer(_ load: borrowing LoadFields, _ payload: Span<UInt8>, isLink: Bool) -> Offer? {
        let publication: PublicationID?
        if let handle = load.handle {
            publication = PublicationID(rawValue: handle)
        } else if let board = load.board {
            publication = boards.publication(on: payload.extracting(board))
        } else {
            publication = boards.general
        }
        guard let publication, let found = world.contents.find(publication) else { return nil }
        let firstByte = world.context.limits.firstByte
        return world.contents.plainOffer(load, payload, in: found, isLink: isLink, firstByte: firstByte)
    }

    private mutating func load(_ load: Load, on stream: PeerStream) throws(Failure) {
        world.context.cost += load.accepts.count * Cost.accept
        try Feature.check(load.requires, for: load.ifChangeCount == nil ? nil : .condition)
        try AcceptList.check(load.accepts, preference: load.preference)
        try loads.checkRoom(for: stream.peer, limit: world.context.limits.loadsPerConnection)
        let publication = try publication(of: load, for: stream)
        if let found = world.contents.find(publication), world.contents[found].isRestricted {
            world.context.cost += world.contents[found].items.count * Cost.checkedItem
        }
        let offer = try world.contents.offer(load, in: publication, to: peers[stream.slot].access, world.context)
        let session = world.contents.session(of: publication)
        let isMove = session != nil && isMove(of: publication)
        let terms = LoadTerms(
            destination: stream.peer,
            stream: stream.id,
            account: peers[stream.slot].account,
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
    private mutating func publication(of load: Load, for stream: PeerStream) throws(Failure) -> PublicationID {
        let access = peers[stream.slot].access
        if let handle = load.handle {
            let id = PublicationID(rawValue: handle)
            guard let slot = world.contents.visible(id, to: access), world.contents[slot].isCurrent else {
                throw .noContents
            }
            if let session = world.contents[slot].session {
                try checkWindow(of: session, for: stream.peer)
            } else if let condition = try BoardCondition(load.ifChangeCount) {
                try boards.check(condition, on: world.contents[slot].boardName)
            }
            return id
        }
        let name = load.board ?? BoardName.general
        try BoardName.check(name)
        try boards.check(BoardCondition(load.ifChangeCount), on: name)
        guard let id = boards.publication(on: name), world.contents.visible(id, to: access) != nil else {
            let cleared = boards.timeSinceEviction(from: name, for: access, at: world.context.elapsed)
            throw Failure.empty(name, cleared: cleared)
        }
        return id
    }

    // MARK: Writes

    private mutating func beginWrite(_ write: Write, on stream: PeerStream) throws(Failure) {
        // First, because the bytes may follow at once, also those of a write that fails here.
        if write.terms?.isConcealed == true { world.context.perform(.conceal(stream.peer)) }
        try Feature.check(write.requires, for: write.ifChangeCount == nil ? nil : .condition)
        try Feature.check(write.requires, for: write.terms == nil ? nil : .terms)
        try Feature.check(write.requires, for: write.handle == nil ? nil : .additions)
        try Feature.check(write.requires, for: write.keepsPromises == nil ? nil : .handOver)
        try Feature.check(write.requires, for: write.evictsNothing == nil ? nil : .eviction)
        try Feature.check(write.requires, for: write.origin == nil ? nil : .links)
        let isReclaim = write.reclaimsChangeCount != nil || write.reclaimsEpoch != nil
        try Feature.check(write.requires, for: write.ifEpoch != nil || isReclaim ? .reclaim : nil)
        let condition = try BoardCondition(write.ifChangeCount, epoch: write.ifEpoch)
        let reclaimed = try BoardCount(reclaimedBy: write)
        let evictsNothing = write.evictsNothing == true
        let origin = try origin(write.origin, on: stream)
        guard origin == nil || write.handle == nil && (reclaimed == nil || !peers.isLink(at: stream.slot)) else {
            throw Failure(.invalidArgument, "neither an addition nor a link's reclaim has an origin")
        }
        if let handle = write.handle {
            guard write.terms == nil else {
                throw Failure(.invalidArgument, "an addition has no terms; those of the contents stay")
            }
            let slot = try world.contents.checkAddition(to: handle, by: stream.peer)
            let keepsPromises = write.keepsPromises == true
            guard !keepsPromises || !world.contents.isConcealed(slot) else {
                let text = "the contents are sensitive and cannot be handed over; they end with their source"
                throw Failure(.concealed, text)
            }
            try boards.check(condition, on: world.contents[slot].boardName)
            let id = PublicationID(rawValue: handle)
            let target = PendingWrite.Target.contents(id, condition, keepsPromises: keepsPromises)
            let isConcealed = world.contents.isConcealed(slot)
            return try beginWrite(to: target, isConcealed: isConcealed, evictsNothing: evictsNothing, on: stream)
        }
        guard write.keepsPromises == nil else {
            throw Failure(.invalidArgument, "keeps_promises needs the handle of the contents")
        }
        try write.terms?.check()
        let name = write.board ?? BoardName.general
        try BoardName.check(name)
        try boards.check(condition, on: name)
        if reclaimed == nil { try boards.check(origin, on: name) }
        if let reclaimed { _ = try checkReclaim(of: reclaimed, on: name, by: peers[stream.slot].process) }
        let target = PendingWrite.Target.board(name, condition, reclaims: reclaimed, origin)
        let (terms, isConcealed) = (write.terms, write.terms?.isConcealed == true)
        try beginWrite(to: target, terms: terms, isConcealed: isConcealed, evictsNothing: evictsNothing, on: stream)
    }

    mutating func beginWrite(
        to target: PendingWrite.Target,
        terms: ContentTerms? = nil,
        isConcealed: Bool = false,
        evictsNothing: Bool = false,
        on stream: PeerStream
    ) throws(Failure) {
        let account = peers[stream.slot].account
        let id = try world.contents.beginWrite(
            to: target,
            terms: terms,
            isConcealed: isConcealed,
            evictsNothing: evictsNothing,
            stream: stream.id,
            by: stream.peer,
            account,
            &world.context
        )
        peers.setTarget(.write(id), of: stream.id, at: stream.peer)
    }

    mutating func commit(_ id: WriteID, _ commit: Commit, on stream: PeerStream) throws(Failure) {
        try world.contents.check(commit, of: id)
        guard let target = world.contents.target(of: id) else { return }
        switch target {
        case .board(let name, let condition, let reclaimed, let origin):
            try self.commit(id, to: name, condition, reclaiming: reclaimed, origin, on: stream)
        case .session(let drag):
            try commitSession(drag, id, on: stream)
        case .addition(let session):
            try commitAddition(to: session, id, on: stream)
        case .contents(let publication, let condition, let keepsPromises):
            try commitAddition(to: publication, condition, keepsPromises: keepsPromises, id, on: stream)
        }
    }

    /// Adds a write's items to contents of a board.
    private mutating func commitAddition(
        to publication: PublicationID,
        _ condition: BoardCondition?,
        keepsPromises: Bool,
        _ id: WriteID,
        on stream: PeerStream
    ) throws(Failure) {
        let slot = try world.contents.checkAddition(to: publication.rawValue, by: stream.peer)
        let name = world.contents[slot].boardName
        try boards.check(condition, on: name)
        try checkEvictsNothing(id, to: nil)
        let limits = world.context.limits
        guard let addition = try world.contents.addition(of: id, to: slot, keepsPromises: keepsPromises, limits)
        else { return }
        world.contents.add(id, addition, to: slot, &world.context)
        peers.setTarget(nil, of: stream.id, at: stream.peer)
        world.context.counters.writes += 1
        sendCommitted(publication, board: name, on: stream)
        world.context.send(End(), on: stream)
        versionChanged(of: name)
    }

    private mutating func commit(
        _ id: WriteID,
        to name: String,
        _ condition: BoardCondition?,
        reclaiming reclaimed: BoardCount?,
        _ origin: BoardOrigin?,
        on stream: PeerStream
    ) throws(Failure) {
        try boards.check(condition, on: name)
        if reclaimed == nil { try boards.check(origin, on: name) }
        var replaced: PublicationID?
        if let reclaimed { replaced = try checkReclaim(of: reclaimed, on: name, by: peers[stream.slot].process) }
        // If the loss of the contents was reported, their return is a change.
        let isReturn = replaced.flatMap { world.contents.find($0) }.map { world.contents[$0].isAwaited } ?? true
        let kind = isReturn ? ChangedBoards.Kind.reclaim : .version
        if let replaced, world.contents.returnToWriter(replaced, writtenBy: id, &world.context) {
            versionChanged(of: name, kind)
            return answerCommit(of: replaced, board: name, on: stream)
        }
        guard let account = world.contents.account(of: id) else { return }
        try boards.checkRoom(for: name, of: account, world.context)
        try checkEvictsNothing(id, to: name)
        let (access, label) = (peers[stream.slot].access, peers[stream.slot].label)
        guard let publication = world.contents.publish(id, by: access, label: label, board: name, &world.context) else {
            return
        }
        let change: Boards.Change
        var origin = origin ?? boards.newOrigin(at: world.context.wallTime)
        if let reclaimed {
            if let replaced {
                world.contents.continueVersion(of: publication, after: replaced)
                origin = boards.origin(of: name) ?? origin
            }
            let restored = boards.restore(name, to: publication, as: reclaimed, origin: origin)
            change = changed(restored, of: name, reason: .replaced, kind: kind)
        } else {
            change = set(name, to: publication, reason: .replaced, origin: origin)
        }
        if change.isCharged { world.context.accounting.acquire(of: .boards, for: account) }
        answerCommit(of: publication, board: name, on: stream)
    }

    /// Tells a writer that its contents are on a board. Its stream lasts as long as they do.
    private mutating func answerCommit(of publication: PublicationID, board name: String, on stream: PeerStream) {
        peers.setTarget(.publication(publication), of: stream.id, at: stream.peer)
        world.context.counters.writes += 1
        sendCommitted(publication, board: name, on: stream)
    }

    private mutating func sendCommitted(_ publication: PublicationID, board name: String, on stream: PeerStream) {
        var committed = Committed(boards.count(of: name))
        committed.handle = publication.rawValue
        committed.clearedBoards = Array(makeRoom(for: peers[stream.slot].access).prefix(WireLimits.clearedBoards))
        if world.context.saving != .none, isSaved(publication) {
            committed.isUnsaved = world.context.saving == .failing
        }
        world.context.send(committed, on: stream)
    }

    /// Throws unless a peer may write contents again under a change count that they had.
    ///
    /// - Returns: the contents whose place they take, if the board still has them.
    private func checkReclaim(
        of count: BoardCount,
        on name: String,
        by process: ProcessKey
    ) throws(Failure) -> PublicationID? {
        guard let old = try boards.checkReclaim(of: count, on: name) else { return nil }
        try world.contents.checkReclaim(of: old, by: process)
        return old
    }
}
