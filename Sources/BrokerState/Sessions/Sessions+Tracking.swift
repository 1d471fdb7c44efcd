import PasteboardWire

// The location of a session: the source moves the pointer, and the destination there is asked for a proposal.
extension Sessions {
    /// Handles a location from the source; nil if the pointer is over nothing.
    mutating func track(_ id: SessionID, to location: Location?, in world: inout World) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].declinedLocation = nil
        sessionTable[slot].isDirected = true
        guard let location else {
            leave(id, &world.context)
            return reply(id, .cancel, &world.context)
        }
        do throws(Failure) {
            let destination = try destination(location.destination, for: id)
            let destinationSession = try destinationSession(of: id, at: destination, in: &world)
            track(id, over: destinationSession, location, in: &world)
        } catch {
            leave(id, &world.context)
            // The destination exists, so the length of its name in the stored location is limited.
            if error.code == .typeUnavailable { sessionTable[slot].declinedLocation = location }
            reply(id, .cancel, refusal: error, &world.context)
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

    /// Moves the pointer over a destination, and asks it for a proposal.
    mutating func track(
        _ id: SessionID,
        over destinationSessionID: DestinationSessionID,
        _ location: Location,
        in world: inout World
    ) {
        guard let slot = sessionTable.find(id),
            let destinationSession = destinationSessionTable.find(destinationSessionID)
        else { return }
        var location = location
        location.destination = destinationName(of: destinationSessionID)
        if sessionTable[slot].phase.tracking?.destinationSession != destinationSessionID { leave(id, &world.context) }
        if destinationSessionTable[destinationSession].declinedVersion == sessionTable[slot].version {
            return declined(id, at: location, &world.context)
        }
        sessionTable[slot].activeAt = world.context.now
        sessionTable[slot].phase.track(destinationSessionID, at: location, now: world.context.now)
        ask(id, in: &world)
    }

    // MARK: Questions

    /// Asks the destination that the session is over, unless an answer of it is pending. Then it is asked after that
    /// answer, about the location at that time.
    mutating func ask(_ id: SessionID, in world: inout World) {
        guard let slot = sessionTable.find(id), let tracking = sessionTable[slot].phase.tracking,
            tracking.needsQuestion, let since = tracking.awaitedSince,
            let destinationSession = destinationSessionTable.find(tracking.destinationSession),
            let destination = destinationTable.find(destinationSessionTable[destinationSession].destination)
        else { return }
        world.context.check(by: since.addingClamped(world.context.limits.proposal))
        guard destinationSessionTable[destinationSession].phase.pending == .nothing else { return }
        guard announce(slot, at: destinationSession, destination, in: &world) else {
            let failure = doesNotAnswer(tracking.destinationSession, world.context.limits)
            return lose(id, failure, &world.context)
        }
        let sequence = destinationSessionTable[destinationSession].lastQuestion + 1
        destinationSessionTable[destinationSession].lastQuestion = sequence
        let message = destinationSessionTable[destinationSession].phase.ask(sequence)
        destinationTable[destination].occupants.insert(tracking.destinationSession)
        let question = Tracking.Question(
            sequence: sequence,
            pointerUpdate: sessionTable[slot].lastPointerUpdate,
            version: sessionTable[slot].version,
            askedAt: world.context.now
        )
        sessionTable[slot].phase.updateTracking { $0.ask(question) }
        world.context.check(in: world.context.limits.proposal)
        let stream = tracking.destinationSession.stream
        switch message {
        case .enter:
            var enter = Enter()
            enter.sequence = sequence
            enter.location = tracking.location
            enter.version = question.version
            destinationTable[destination].send(enter, on: stream, &world.context)
        case .update:
            var update = Update()
            update.sequence = sequence
            update.location = tracking.location
            update.version = question.version
            destinationTable[destination].send(update, on: stream, &world.context)
        case nil: break
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
        guard !announcements.isEmpty else { return }
        announcements[peer]?.unread = count
    }
}
