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
                startedAt: context.now
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

    /// Completes an addition of items to a session, and ends the stream of the addition. The proposal for the earlier
    /// items no longer counts: the source asks for another one by a move.
    mutating func itemsAdded(to id: SessionID, stream: UInt64, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].version += 1
        sendVersion(of: id, stream: stream, &context)
        context.send(End(), to: sessionTable[slot].source, stream: stream)
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
            case .move: .move
            default: .drop
            }
        guard sessionTable[slot].phase.accept(frame) else {
            throw Failure(
                .protocolViolation,
                "\(kind) does not fit the session: the source sends one begin, then moves, then one drop, and waits for "
                    + "the answer to each move"
            )
        }
        switch frame {
        case .begin: _ = try Begin(decoding: payload)
        case .move:
            let move = try Move(decoding: payload)
            track(id, to: move.location, move: move.sequence ?? 0, in: &world)
        case .drop:
            _ = try Drop(decoding: payload)
            drop(id, &world.context)
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
