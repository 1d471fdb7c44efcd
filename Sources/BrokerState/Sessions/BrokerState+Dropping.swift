import PasteboardWire

// The drop: its window, the loads in it, the reports of its destination, and its result for both sides.
extension BrokerState {
    /// Decides a drop: the proposal that counts has come, or there is none.
    mutating func drop(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let tracking = session.phase.tracking
        let operation = tracking?.decision ?? .cancel
        var dropped = Dropped()
        dropped.operation = operation.rawValue
        outbox.send(dropped, to: session.source, stream: session.stream)
        guard operation.transfers, let tracking, let other = destinationSessions[tracking.destinationSession],
            let peer = destinations[other.destination]?.peer
        else {
            outbox.send(End(), to: session.source, stream: session.stream)
            return end(id)
        }
        sessions.update(id) { [now] in
            $0.phase.open(
                SessionDrop(destinationSession: tracking.destinationSession, operation: operation, at: now)
            )
            $0.destinationSessions = [other.destination: tracking.destinationSession]
        }
        destinationSessions.update(tracking.destinationSession) { $0.phase.perform() }
        counters.drops += 1
        checkDeadline(of: id)
        var perform = Perform()
        perform.operation = operation.rawValue
        perform.location = tracking.location
        perform.version = session.version
        outbox.send(perform, to: peer, stream: tracking.destinationSession.stream)
        let others = session.destinationSessions.values.sorted { $0.slot < $1.slot }
        for other in others where other != tracking.destinationSession { endDestinationSession(other, nil) }
    }

    // MARK: Loads

    /// Whether the items of a publication are being moved, so that they go from the source afterwards.
    func isMove(of publication: PublicationID) -> Bool {
        publications[publication]?.session.flatMap { sessions[$0]?.phase.drop?.operation } == .move
    }

    /// Refuses a load unless it is begun by the drop's destination while the drop window is open.
    func checkWindow(of id: SessionID, for peer: PeerID) throws(Failure) {
        if let session = sessions[id], case .dropping(let drop) = session.phase,
            let other = destinationSessions[drop.destinationSession], destinations[other.destination]?.peer == peer
        {
            return
        }
        // A peer to which the session is not announced must not learn of it here.
        let isKnown = sessions[id]?.destinationSessions.values.contains { other in
            destinationSessions[other].map { $0.phase.isOpen && destinations[$0.destination]?.peer == peer } ?? false
        }
        guard isKnown == true || sessions[id]?.source == peer else { throw Self.noContents }
        throw Failure(
            .notLoadableNow,
            "items of a drag session are loaded by its destination, while a drop there is performed and not after"
        )
    }

    mutating func sessionLoadBegan(_ id: SessionID, _ part: SessionDrop.Part) {
        sessions.update(id) { $0.phase.updateDrop { $0.loadBegan(part) } }
    }

    /// Takes the end of a load.
    ///
    /// - Parameter failure: nil if all its bytes have arrived.
    mutating func sessionLoadEnded(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure?) {
        sessions.update(id) { [now] in $0.phase.updateDrop { $0.loadEnded(part, failure, at: now) } }
        guard sessions[id]?.phase.drop?.openLoads == 0 else { return }
        checkDeadline(of: id)
        finishIfDone(id)
    }

    /// A load that was complete has failed after all: its file could not be passed on.
    mutating func sessionLoadFailed(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure) {
        sessions.update(id) { $0.phase.updateDrop { $0.loadLost(part, failure) } }
        finishIfDone(id)
    }

    // MARK: Reports of the destination

    /// Takes a report of progress: the destination asks a person, for example, or moves a loaded file to its final place.
    mutating func progressed(_ other: DestinationSessionID, _ progress: Progress) {
        guard let id = dropped(at: other) else { return }
        sessions.update(id) { [now] in $0.phase.updateDrop { $0.progressed(to: progress.completed, at: now) } }
        checkDeadline(of: id)
    }

    /// Takes a report that the handler has returned, or that the destination has concluded.
    ///
    /// - Parameter items: items that were taken without a load.
    mutating func reported(_ report: DestinationReport, items: [UInt32], by other: DestinationSessionID) {
        guard let id = dropped(at: other), sessions[id]?.phase.accepts(report) == true else { return }
        let taken = taken(items, from: id, by: other)
        sessions.update(id) { [now] in $0.phase.take(report, taken: taken, at: now) }
        checkDeadline(of: id)
        finishIfDone(id)
    }

    /// The session that was dropped at a destination.
    private func dropped(at other: DestinationSessionID) -> SessionID? {
        guard let id = destinationSessions[other]?.session, sessions[id]?.phase.drop?.destinationSession == other else {
            return nil
        }
        return id
    }

    /// The indices of items that a destination reports as taken without a load, which only the source's own process can
    /// do.
    private func taken(_ items: [UInt32], from id: SessionID, by other: DestinationSessionID) -> [UInt32] {
        guard !items.isEmpty, let session = sessions[id],
            let access = destinationSessions[other].flatMap({ destinations[$0.destination]?.access }),
            access.process == session.process,
            let indices = publications[session.publication]?.places(for: access)
        else { return [] }
        return items.filter { Int($0) < indices.count }.map { UInt32(clamping: indices[Int($0)]) }
    }

    // MARK: The result

    /// Ends the session once nothing more can happen to it.
    private mutating func finishIfDone(_ id: SessionID) {
        guard let session = sessions[id], case .transferring(let drop, let stage) = session.phase else { return }
        let count = publications[session.publication]?.items.count ?? 0
        switch drop.result(in: stage, itemCount: count) {
        case .pending: return
        case .untouched:
            outbox.send(End(), to: session.source, stream: session.stream)
            end(id)
        case .refused(let failure):
            let name = destinationSessions[drop.destinationSession].map { self.name(of: $0) } ?? ""
            let text = "destination \(name) did not take the drop: \(failure.text.printable)"
            finish(id, failure: Failure(.refused, text))
        case .incomplete(let failure): finish(id, failure: failure)
        case .partial:
            let text = "the destination took \(drop.items.count) of \(count) items; the others stay where they are"
            finish(id, failure: Failure(.refused, text), isPart: true)
        case .complete: finish(id, failure: nil)
        }
    }

    /// Reports the result of the drop to both sides, and ends the session.
    ///
    /// - Parameter isPart: whether a move failed only because the destination left some of the items.
    mutating func finish(_ id: SessionID, failure: Failure?, isPart: Bool = false) {
        guard let session = sessions[id], let drop = session.phase.drop else { return }
        var transferred = Transferred()
        transferred.operation = drop.operation.rawValue
        if failure == nil || isPart || drop.operation == .copy { transferred.items = drop.items.sorted() }
        transferred.failure = failure
        outbox.send(transferred, to: session.source, stream: session.stream)
        outbox.send(End(), to: session.source, stream: session.stream)
        report(transferred, to: drop.destinationSession, of: session.publication)
        end(id)
    }

    /// Sends the destination, if it still exists, the same result as the source, with the destination's own item numbers.
    private mutating func report(
        _ transferred: Transferred,
        to other: DestinationSessionID,
        of publication: PublicationID
    ) {
        guard let destination = destinationSessions[other].flatMap({ destinations[$0.destination] }),
            destination.receivesResults
        else { return }
        let indices = publications[publication]?.places(for: destination.access) ?? []
        let items = Set(transferred.items)
        var transferred = transferred
        transferred.items = indices.indices.filter { items.contains(UInt32(clamping: indices[$0])) }.map {
            UInt32(clamping: $0)
        }
        outbox.send(transferred, to: destination.peer, stream: other.stream)
    }

    /// Ends the loads of a drop that its destination does not want any more. The source is notified of the drop's result
    /// after that, when it has nothing to send any more.
    mutating func endLoads(of publication: PublicationID, _ failure: Failure) {
        publications.update(publication) { $0.session = nil }
        failAll(failure) { $0.publication == publication && $0.filling == nil }
    }
}
