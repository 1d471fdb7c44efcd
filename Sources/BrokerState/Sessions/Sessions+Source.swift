import PasteboardWire

// The source's side of a drag session: its items, its frames, and its withdrawal.
extension Sessions {
    // MARK: Items

    /// Opens a session with committed items. The caller has checked that there is room.
    mutating func open(
        _ drag: Drag,
        _ publication: PublicationID,
        stream: UInt64,
        by source: PeerID,
        of process: ProcessKey,
        _ account: Accounting.AccountID,
        _ context: inout BrokerContext
    ) -> SessionID {
        context.accounting.acquire(of: .sessions, for: account)
        let id = sessionTable.insert(
            DragSession(
                source: source,
                process: process,
                account: account,
                stream: stream,
                publication: publication,
                allowsMove: drag.allowsMove ?? true,
                isRestricted: drag.isRestricted ?? false,
                movesBetweenProcesses: drag.movesBetweenProcesses ?? false,
                startedAt: context.now,
                activeAt: context.now
            )
        )
        context.counters.sessions += 1
        checkDeadline(of: id, &context)
        sendVersion(of: id, stream: stream, &context)
        return id
    }

    /// Throws unless the items of a write may be added to a session.
    ///
    /// - Parameter metadata: the bytes of names and types of the write.
    func checkAddition(
        to id: SessionID,
        items: Int,
        metadata: UInt64,
        by peer: PeerID,
        in world: borrowing World
    ) throws(Failure) -> PublicationID {
        guard let slot = sessionTable.find(id), let publication = world.contents.find(sessionTable[slot].publication)
        else { throw Failure(.superseded, "the session has ended") }
        _ = try openSession(sessionTable[slot].publication.rawValue, of: peer, in: world)
        let count = world.contents[publication].items.count + items
        guard count <= WireLimits.items else {
            let text = "the session would have \(count) items; at most \(WireLimits.items) are allowed"
            throw Failure(.limitExceeded, text)
        }
        let metadata = world.contents[publication].charge.amount.metadata + metadata
        let limit = world.context.limits.metadataPerSession
        guard metadata <= limit else {
            let text = "names and types of the session would take \(metadata) bytes; limit metadata-per-session is "
            throw Failure(.limitExceeded, text + "\(limit)")
        }
        return sessionTable[slot].publication
    }

    /// Completes an addition of items to a session: ends the stream of the addition, and asks the session's destination
    /// again.
    mutating func itemsAdded(to id: SessionID, stream: UInt64, in world: inout World) {
        guard let slot = sessionTable.find(id) else { return }
        let location = sessionTable[slot].phase.tracking == nil ? sessionTable[slot].declinedLocation : nil
        sessionTable[slot].version += 1
        sessionTable[slot].activeAt = world.context.now
        sessionTable[slot].phase.updateTracking { [now = world.context.now] in $0.invalidate(at: now) }
        sendVersion(of: id, stream: stream, &world.context)
        world.context.send(End(), to: sessionTable[slot].source, stream: stream)
        if let location {
            track(id, to: location, in: &world)
        } else {
            ask(id, in: &world)
        }
    }

    private func sendVersion(of id: SessionID, stream: UInt64, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        var committed = Committed()
        committed.changeCount = sessionTable[slot].version
        committed.epoch = context.epoch
        committed.handle = sessionTable[slot].publication.rawValue
        context.send(committed, to: sessionTable[slot].source, stream: stream)
    }

    // MARK: Frames

    /// Handles a frame on the stream of a source's session.
    mutating func fromSource(
        _ kind: FrameKind,
        of id: SessionID,
        _ payload: Span<UInt8>,
        in world: inout World
    ) throws(Failure) {
        guard let slot = sessionTable.find(id) else { return }
        let frame: DragSessionPhase.SourceFrame =
            switch kind {
            case .begin: .begin
            case .move: .pointerUpdate
            default: .drop
            }
        let outcome = sessionTable[slot].phase.handle(frame)
        switch outcome {
        case .began:
            _ = try Begin(decoding: payload)
            sessionTable[slot].activeAt = world.context.now
        case .tracks:
            let update = try Move(decoding: payload)
            sessionTable[slot].lastPointerUpdate = update.sequence ?? 0
            sessionTable[slot].activeAt = world.context.now
            track(id, to: update.location, in: &world)
        case .awaitsProposal, .decides:
            _ = try Drop(decoding: payload)
            endWaits(of: id, &world.context)
            sessionTable[slot].activeAt = world.context.now
            if case .decides = outcome { drop(id, &world.context) }
        case .isViolation:
            throw Failure(
                .protocolViolation,
                "\(kind) does not fit the session: begin is sent once, then any number of moves, and then one drop"
            )
        }
    }

    // MARK: The end

    /// Ends a session whose source has disconnected.
    ///
    /// - Returns: its items, whose loads are to end; nil if the session is over.
    mutating func sourceGone(_ id: SessionID, in world: inout World) -> PublicationID? {
        guard let slot = sessionTable.find(id) else { return nil }
        let publication = sessionTable[slot].publication
        let name = world.contents.ownerName(of: publication)
        end(id, Failure(.sourceGone, "source \(name) of the session has disconnected"), &world.context)
        return publication
    }

    /// Ends a session that its source has withdrawn: nothing more of a drop is transferred.
    ///
    /// - Returns: its items, whose loads are to end; nil if the session is over.
    mutating func withdraw(_ id: SessionID, in world: inout World) -> PublicationID? {
        guard let slot = sessionTable.find(id) else { return nil }
        let publication = sessionTable[slot].publication
        let text = "source \(world.contents.ownerName(of: publication)) has withdrawn the session"
        let isDropped = sessionTable[slot].phase.drop != nil
        end(id, isDropped ? Failure(.cancelled, text) : nil, &world.context)
        return publication
    }
}
