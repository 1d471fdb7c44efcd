import PasteboardWire

// The drop: its window, the loads in it, the reports of its destination, and its result for both sides.
extension Sessions {
    /// Decides a drop. It does nothing without a proposal for the current location and items.
    mutating func drop(_ id: SessionID, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        let tracking = sessionTable[slot].phase.tracking
        let isCurrent = tracking?.version == sessionTable[slot].version
        let operation = (isCurrent ? tracking?.operation : nil) ?? .cancel
        var dropped = Dropped()
        dropped.operation = operation
        sessionTable[slot].send(dropped, &context)
        guard operation.transfers, let tracking, let peer = peer(of: tracking.destinationSession),
            let destinationSession = destinationSessionTable.find(tracking.destinationSession)
        else {
            sessionTable[slot].send(End(), &context)
            return end(id, nil, &context)
        }
        let others = sessionTable[slot].destinationSessions.values.sorted { $0.slot < $1.slot }
        let drop = SessionDrop(destinationSession: tracking.destinationSession, operation: operation, at: context.now)
        sessionTable[slot].phase.open(drop)
        sessionTable[slot].destinationSessions = [
            destinationSessionTable[destinationSession].destination: tracking.destinationSession
        ]
        destinationSessionTable[destinationSession].phase.perform()
        context.counters.drops += 1
        checkDeadline(of: id, &context)
        var perform = Perform()
        perform.operation = operation
        perform.location = tracking.location
        perform.version = sessionTable[slot].version
        context.send(perform, to: peer, stream: tracking.destinationSession.stream)
        for destinationSession in others where destinationSession != tracking.destinationSession {
            endDestinationSession(destinationSession, nil, &context)
        }
    }

    // MARK: Loads

    /// Whether a peer may begin a load of a session's items: only the drop's destination, while the drop window is
    /// open.
    func access(to id: SessionID, by peer: PeerID) -> DropAccess {
        guard let slot = sessionTable.find(id) else { return .unknown }
        if case .dropping(let drop) = sessionTable[slot].phase, self.peer(of: drop.destinationSession) == peer {
            return .allowed(isMove: drop.operation == .move)
        }
        guard sessionTable[slot].source != peer else { return .notNow }
        // A peer to which the session is not announced must not learn of it.
        for destinationSession in sessionTable[slot].destinationSessions.values
        where self.peer(of: destinationSession) == peer {
            guard let destinationSession = destinationSessionTable.find(destinationSession) else { continue }
            if destinationSessionTable[destinationSession].phase.isOpen { return .notNow }
        }
        return .unknown
    }

    /// Whether a drop moves the items of a session, so that the source deletes them afterwards.
    func isMove(_ id: SessionID) -> Bool {
        sessionTable.find(id).flatMap { sessionTable[$0].phase.drop?.operation } == .move
    }

    mutating func loadBegan(_ part: PublicationPart, of id: SessionID) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].phase.updateDrop { $0.loadBegan(part) }
    }

    /// Handles the end of a load.
    ///
    /// - Parameter failure: nil if all its bytes have arrived.
    mutating func loadEnded(_ part: PublicationPart, of id: SessionID, _ failure: Failure?, in world: inout World) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].phase.updateDrop { [now = world.context.now] in $0.loadEnded(part, failure, at: now) }
        guard sessionTable[slot].phase.drop?.openLoads == 0 else { return }
        checkDeadline(of: id, &world.context)
        finishIfDone(id, in: &world)
    }

    /// A load that was complete has failed after all: its file could not be passed on.
    mutating func loadLost(_ part: PublicationPart, of id: SessionID, _ failure: Failure, in world: inout World) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].phase.updateDrop { $0.loadLost(part, failure) }
        finishIfDone(id, in: &world)
    }

    // MARK: Reports of the destination

    /// Handles a report of progress: the destination asks a person, for example, or moves a loaded file to its final
    /// place.
    mutating func progressed(_ progress: Progress, by sender: DestinationSessionID, _ context: inout BrokerContext) {
        guard let id = sessionDropped(at: sender), let slot = sessionTable.find(id) else { return }
        sessionTable[slot].phase.updateDrop { [now = context.now] in $0.progressed(to: progress.completed, at: now) }
        checkDeadline(of: id, &context)
    }

    /// Handles a report that the handler has returned, or that the destination has concluded.
    ///
    /// - Parameter items: items that were taken without a load.
    mutating func reported(
        _ report: DestinationReport,
        items: [UInt32],
        by destinationSession: DestinationSessionID,
        in world: inout World
    ) {
        guard let id = sessionDropped(at: destinationSession), let slot = sessionTable.find(id),
            sessionTable[slot].phase.accepts(report)
        else { return }
        let taken = indices(items, of: slot, takenBy: destinationSession, world.contents)
        sessionTable[slot].phase.handle(report, taken: taken, at: world.context.now)
        checkDeadline(of: id, &world.context)
        finishIfDone(id, in: &world)
    }

    /// The session that was dropped at a destination.
    private func sessionDropped(at destinationSessionID: DestinationSessionID) -> SessionID? {
        guard let destinationSession = destinationSessionTable.find(destinationSessionID),
            let slot = sessionTable.find(destinationSessionTable[destinationSession].session),
            sessionTable[slot].phase.drop?.destinationSession == destinationSessionID
        else { return nil }
        return destinationSessionTable[destinationSession].session
    }

    /// The indices of items that a destination reports as taken without a load, which only the source's own process can
    /// do.
    private func indices(
        _ items: [UInt32],
        of slot: Slot,
        takenBy destinationSession: DestinationSessionID,
        _ contents: borrowing ContentStore
    ) -> [UInt32] {
        guard !items.isEmpty, let destination = destination(of: destinationSession),
            destinationTable[destination].process == sessionTable[slot].process,
            let publication = contents.find(sessionTable[slot].publication)
        else { return [] }
        let indices = contents[publication].visibleItems(to: destinationTable[destination].access)
        return items.filter { Int($0) < indices.count }.map { UInt32(clamping: indices[Int($0)]) }
    }

    // MARK: The result

    /// Ends the session once nothing more can happen to it.
    private mutating func finishIfDone(_ id: SessionID, in world: inout World) {
        guard let slot = sessionTable.find(id), case .transferring(let drop, let stage) = sessionTable[slot].phase
        else { return }
        let count = world.contents.find(sessionTable[slot].publication).map { world.contents[$0].items.count } ?? 0
        switch drop.result(in: stage, itemCount: count) {
        case .pending: return
        case .untouched:
            sessionTable[slot].send(End(), &world.context)
            end(id, nil, &world.context)
        case .refused(let failure):
            let destination = destination(of: drop.destinationSession)
            // A link passes on the failure of the destination itself.
            guard destination.map({ destinationTable[$0].access.isLink }) != true else {
                return finish(id, failure.printable, in: &world)
            }
            let name = destinationName(of: drop.destinationSession)
            let text = "destination \(name) did not perform the drop: \(failure.text.printable)"
            finish(id, Failure(.refused, text), in: &world)
        case .incomplete(let failure): finish(id, failure, in: &world)
        case .partial:
            let text = "the destination took \(drop.items.count) of \(count) items; the others stay at the source"
            finish(id, Failure(.refused, text), isPart: true, in: &world)
        case .complete: finish(id, nil, in: &world)
        }
    }

    /// Reports the result of a drop whose loads have ended.
    mutating func finish(_ drop: EndedDrop, in world: inout World) {
        finish(drop.session, drop.failure, in: &world)
    }

    /// Reports the result of the drop to both sides, and ends the session.
    ///
    /// - Parameter isPart: whether a move failed only because the destination left some of the items.
    mutating func finish(_ id: SessionID, _ failure: Failure?, isPart: Bool = false, in world: inout World) {
        guard let slot = sessionTable.find(id), let drop = sessionTable[slot].phase.drop else { return }
        var transferred = Transferred()
        transferred.operation = drop.operation
        if failure == nil || isPart || drop.operation == .copy { transferred.items = drop.items.sorted() }
        transferred.failure = failure
        sessionTable[slot].send(transferred, &world.context)
        sessionTable[slot].send(End(), &world.context)
        report(transferred, to: drop.destinationSession, of: sessionTable[slot].publication, in: &world)
        end(id, nil, &world.context)
    }

    /// Sends the destination the same result as the source, with its own item numbers, if it still exists and receives
    /// results.
    private func report(
        _ transferred: Transferred,
        to destinationSession: DestinationSessionID,
        of publication: PublicationID,
        in world: inout World
    ) {
        guard let destination = destination(of: destinationSession), destinationTable[destination].receivesResults
        else { return }
        let access = destinationTable[destination].access
        let indices = world.contents.find(publication).map { world.contents[$0].visibleItems(to: access) } ?? []
        let items = Set(transferred.items)
        var transferred = transferred
        transferred.items = indices.indices.filter { items.contains(UInt32(clamping: indices[$0])) }.map {
            UInt32(clamping: $0)
        }
        destinationTable[destination].send(transferred, on: destinationSession.stream, &world.context)
    }
}
