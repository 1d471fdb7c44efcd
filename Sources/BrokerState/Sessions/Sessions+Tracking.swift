import PasteboardWire

// The location of a session: the source's moves, the questions to the destination there, its proposals, and the ways in
// which a session leaves a destination. The source's client asks one question at a time, and the broker passes it on.
extension Sessions {
    // MARK: Questions

    /// Handles a move of the source; without a location the session is over nothing.
    mutating func track(_ id: SessionID, to location: Location?, move: UInt64, in world: inout World) {
        guard let location else {
            leave(id, &world.context)
            return reply(id, .cancel, to: move, &world.context)
        }
        do throws(Failure) {
            let destination = try destination(location.destination, for: id)
            try ask(id, at: try destinationSession(of: id, at: destination, in: &world), location, move, in: &world)
        } catch {
            leave(id, &world.context)
            reply(id, .cancel, to: move, refusal: error, &world.context)
        }
    }

    private func destination(_ name: String, for id: SessionID) throws(Failure) -> DestinationID {
        if let found = findDestination(name, for: id) { return found }
        let isRestricted = sessionTable.find(id).map { sessionTable[$0].isRestricted } ?? false
        throw Failure(
            .nothingHere,
            "there is no destination \(name.printable.prefix(utf8Count: WireLimits.name))"
                + (isRestricted ? " in the process that the session is restricted to" : ""),
            detail: isRestricted ? nil : destinationList
        )
    }

    /// Moves the session to a location in a destination, and asks that for a proposal.
    private mutating func ask(
        _ id: SessionID,
        at destinationSessionID: DestinationSessionID,
        _ location: Location,
        _ move: UInt64,
        in world: inout World
    ) throws(Failure) {
        guard let slot = sessionTable.find(id),
            let destinationSession = destinationSessionTable.find(destinationSessionID),
            let destination = destinationTable.find(destinationSessionTable[destinationSession].destination)
        else { return }
        let old = sessionTable[slot].phase.tracking?.destinationSession
        if old != destinationSessionID { leave(id, &world.context) }
        let sequence = destinationSessionTable[destinationSession].lastQuestion + 1
        let isEntry = !destinationSessionTable[destinationSession].phase.isInside
        guard destinationSessionTable[destinationSession].phase.pending == nil,
            announce(slot, at: destinationSession, destination, in: &world)
        else { throw doesNotAnswer(destinationSessionID, world.context.limits) }
        destinationSessionTable[destinationSession].lastQuestion = sequence
        destinationSessionTable[destinationSession].phase.ask(sequence)
        destinationTable[destination].occupants.insert(destinationSessionID)
        let tracking = Tracking(
            destinationSession: destinationSessionID,
            location: location,
            version: sessionTable[slot].version,
            move: move,
            answer: .awaited(since: world.context.now)
        )
        sessionTable[slot].phase.track(tracking)
        world.context.check(in: world.context.limits.proposal)
        let stream = destinationSessionID.stream
        if isEntry {
            var enter = Enter()
            (enter.sequence, enter.location, enter.version) = (sequence, location, tracking.version)
            destinationTable[destination].send(enter, on: stream, &world.context)
        } else {
            var update = Update()
            (update.sequence, update.location, update.version) = (sequence, location, tracking.version)
            destinationTable[destination].send(update, on: stream, &world.context)
        }
    }

    /// Sends a destination the part of the session that it has not received yet: all of it, or the added items.
    ///
    /// - Returns: false if the destination has too much to read already.
    private mutating func announce(
        _ slot: Slot,
        at destinationSession: SlotTable<DestinationSession>.Slot,
        _ destination: DestinationSlot,
        in world: inout World
    ) -> Bool {
        let announced = destinationSessionTable[destinationSession].announced
        guard announced.version < sessionTable[slot].version,
            let publication = world.contents.find(sessionTable[slot].publication)
        else { return true }
        let peer = destinationTable[destination].peer
        let stream = destinationSessionTable.id(of: destinationSession).stream
        let metadata = world.contents[publication].charge.amount.metadata
        let itemCount = world.contents[publication].items.count
        let news = metadata - min(metadata, announced.metadata)
        // The fixed part is for `session`, `enter`, `exit`, `end` and the headers, which have no names.
        let count = news.addingClamped(1_024 + 64 * UInt64(itemCount - announced.items))
        let delay = world.context.limits.proposal
        guard announcements[peer]?.announce(count, at: world.context.now, delay: delay) == true else { return false }
        var message = Session()
        message.destination = destinationTable[destination].stream
        message.handle = sessionTable[slot].publication.rawValue
        message.version = sessionTable[slot].version
        let visibleCount = world.contents.visibleItemCount(of: publication, to: destinationTable[destination].access)
        message.itemCount = UInt32(clamping: visibleCount)
        message.allowsMove = sessionTable[slot].allowsMove(by: destinationTable[destination].process)
        message.isRestricted = sessionTable[slot].isRestricted
        message.ownerLabel = world.contents[publication].ownerLabel
        message.ownerProcess = world.contents[publication].ownerProcess.pid
        world.context.send(message, to: peer, stream: stream)
        for index in announced.items..<itemCount {
            let item = world.contents.describe(index, of: publication, to: destinationTable[destination].access)
            if let item { world.context.send(item, to: peer, stream: stream) }
        }
        destinationSessionTable[destinationSession].announced = DestinationSession.Announced(
            version: sessionTable[slot].version,
            items: itemCount,
            metadata: metadata
        )
        return true
    }

    /// Records the number of bytes that a peer has not read.
    mutating func setUnread(_ count: UInt64, of peer: PeerID) {
        if !announcements.isEmpty { announcements[peer]?.unread = count }
    }

    // MARK: Proposals

    /// Handles the answer of a destination, and passes it on to the source.
    mutating func proposed(
        _ proposal: Proposal,
        _ destinationSessionID: DestinationSessionID,
        in world: inout World
    ) throws(Failure) {
        guard let destinationSession = destinationSessionTable.find(destinationSessionID),
            let destination = destinationTable.find(destinationSessionTable[destinationSession].destination)
        else { return }
        let sequence = proposal.sequence ?? 0
        guard sequence <= destinationSessionTable[destinationSession].lastQuestion else {
            throw Failure(.protocolViolation, "proposal \(sequence) has a number that the broker has not sent")
        }
        let declines = proposal.cannotHandle == true
        guard destinationSessionTable[destinationSession].phase.answered(sequence, declines: declines) else { return }
        announcements[destinationTable[destination].peer]?.answered()
        if declines { destinationTable[destination].occupants.remove(destinationSessionID) }
        let id = destinationSessionTable[destinationSession].session
        guard let slot = sessionTable.find(id), let tracking = sessionTable[slot].phase.tracking,
            tracking.destinationSession == destinationSessionID
        else { return }
        var (operation, refusal) = (DropOperation.cancel, Failure?.none)
        if declines {
            sessionTable[slot].phase.leave()
        } else {
            (operation, refusal) = judge(proposal, slot, destination)
            sessionTable[slot].phase.propose(operation)
        }
        reply(id, operation, of: proposal, to: tracking.move, refusal: refusal, &world.context)
    }

    /// The operation of a proposal, or the refusal if the session does not allow the operation.
    private func judge(
        _ proposal: Proposal,
        _ slot: Slot,
        _ destination: DestinationSlot
    ) -> (operation: DropOperation, refusal: Failure?) {
        let operation = proposal.operation.flatMap { $0.isKnown ? $0 : nil } ?? .cancel
        guard operation == .move, !sessionTable[slot].allowsMove(by: destinationTable[destination].process) else {
            return (operation, nil)
        }
        let refusal = Failure(
            .notPermitted,
            "destination \(destinationTable[destination].name) would move the items, which the session does not allow"
                + (sessionTable[slot].allowsMove ? " between processes" : "")
        )
        return (.cancel, refusal)
    }

    /// Sends the source the answer to a move.
    private func reply(
        _ id: SessionID,
        _ operation: DropOperation,
        of answer: Proposal = Proposal(),
        to move: UInt64,
        refusal: Failure? = nil,
        _ context: inout BrokerContext
    ) {
        guard let slot = sessionTable.find(id) else { return }
        var proposal = Proposal()
        proposal.sequence = move
        proposal.operation = operation
        proposal.isPrecise = answer.isPrecise
        proposal.prefersFullSizePreview = answer.prefersFullSizePreview
        proposal.cannotHandle = answer.cannotHandle
        proposal.refusal = refusal
        sessionTable[slot].send(proposal, &context)
    }

    // MARK: Leaving

    /// Takes the session away from its destination, which is notified if it knows that the session is there.
    @discardableResult
    private mutating func leave(_ id: SessionID, _ context: inout BrokerContext) -> Tracking? {
        guard let slot = sessionTable.find(id), let tracking = sessionTable[slot].phase.leave() else { return nil }
        if let destinationSession = destinationSessionTable.find(tracking.destinationSession),
            destinationSessionTable[destinationSession].phase.leave(),
            let peer = peer(of: tracking.destinationSession)
        {
            context.send(Exit(), to: peer, stream: tracking.destinationSession.stream)
        }
        return tracking
    }

    /// The session has lost the destination that it was over. Its source is notified of the reason.
    mutating func lose(_ id: SessionID, _ failure: Failure, _ context: inout BrokerContext) {
        guard let tracking = leave(id, &context), let slot = sessionTable.find(id) else { return }
        guard tracking.awaitedSince == nil else {
            return reply(id, .cancel, to: tracking.move, refusal: failure, &context)
        }
        var exit = Exit()
        exit.refusal = failure
        sessionTable[slot].send(exit, &context)
    }
}
