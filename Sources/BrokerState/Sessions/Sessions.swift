import PasteboardWire

/// Drag sessions, and the destinations on which they are dropped.
///
/// A drag session has one destination session for each destination that it has reached: the destination's view of it.
/// The phases of the two contain their rules.
///
/// The files use each other in one direction: ends, then drops, questions and proposals, and last the frames of sources
/// and destinations.
///
/// Sessions have no access to loads or peers. A call that leaves work on loads to the caller returns a
/// ``SessionOutcome``. Each request contains a ``Participant``, and ``takeClosedStreams()`` returns the client streams
/// that are over.
struct Sessions: ~Copyable, Sendable {
    typealias Slot = SlotTable<DragSession>.Slot
    typealias DestinationSlot = SlotTable<StoredDestination>.Slot

    var sessionTable = SlotTable<DragSession>()
    var destinationSessionTable = SlotTable<DestinationSession>()
    var destinationTable = SlotTable<StoredDestination>()
    var destinationNames: [String: DestinationID] = [:]
    /// The number of times that a destination was registered or has ended.
    var destinationChanges: UInt64 = 0
    /// For each peer that has had a destination.
    var announcements: [PeerID: Announcements] = [:]
    var closedStreams: [ClosedStream] = []

    var sessionCount: Int { sessionTable.count }
    var destinationSessionCount: Int { destinationSessionTable.count }
    var destinationCount: Int { destinationTable.count }

    /// The peers with a session, as its source or a destination.
    var peers: Set<PeerID> {
        var peers: Set<PeerID> = []
        for id in sessionTable.ids {
            guard let slot = sessionTable.find(id) else { continue }
            peers.insert(sessionTable[slot].source)
            peers.formUnion(sessionTable[slot].destinationSessions.values.compactMap { peer(of: $0) })
        }
        return peers
    }

    /// Returns the client streams that have ended since the last call.
    mutating func takeClosedStreams() -> [ClosedStream] {
        guard !closedStreams.isEmpty else { return [] }
        defer { closedStreams.removeAll(keepingCapacity: true) }
        return closedStreams
    }

    // MARK: Finding

    /// The session of a source, if it is not dropped yet.
    func openSession(_ handle: UInt64, of peer: PeerID, in world: borrowing World) throws(Failure) -> SessionID {
        guard let id = world.contents.session(of: PublicationID(rawValue: handle)), let slot = sessionTable.find(id),
            sessionTable[slot].source == peer, sessionTable[slot].phase.isOpen
        else { throw Failure(.superseded, "this connection has no such session, or it has been dropped or has ended") }
        return id
    }

    /// The destination of a name, if a session can be directed there.
    func findDestination(_ name: String, for id: SessionID) -> DestinationID? {
        guard let slot = sessionTable.find(id), let found = destinationNames[name],
            let destination = destinationTable.find(found),
            destinationTable[destination].isVisible(to: sessionTable[slot].process),
            sessionTable[slot].isAvailable(to: destinationTable[destination].process)
        else { return nil }
        return found
    }

    /// The names of destinations, for an error; nil if there are none.
    var destinationList: String? {
        // Destinations for their own process alone are left out. Only as many names are looked at as an error has room
        // for: a source that repeatedly moves to a missing destination must not make the broker sort all names each
        // time.
        var names: [String] = []
        for (name, id) in destinationNames {
            guard let slot = destinationTable.find(id), !destinationTable[slot].isOwnProcess else { continue }
            guard names.count < WireLimits.errorDetail / 32 else { break }
            names.append(name)
        }
        return names.isEmpty ? nil : names.sorted().joined(separator: "\n")
    }

    func destination(of id: DestinationSessionID) -> DestinationSlot? {
        guard let slot = destinationSessionTable.find(id) else { return nil }
        return destinationTable.find(destinationSessionTable[slot].destination)
    }

    func peer(of id: DestinationSessionID) -> PeerID? { destination(of: id).map { destinationTable[$0].peer } }

    func destinationName(of id: DestinationSessionID) -> String {
        destination(of: id).map { destinationTable[$0].name } ?? ""
    }

    func doesNotAnswer(_ destinationSession: DestinationSessionID, _ limits: BrokerLimits) -> Failure {
        let text =
            "destination \(destinationName(of: destinationSession)) has not answered within \(limits.proposal) ms"
        return Failure(.timeout, text)
    }

    /// Forgets a peer that has disconnected. Its own sessions and destinations have ended before.
    mutating func peerLeft(_ peer: PeerID) { announcements[peer] = nil }
}

/// The properties of a peer that a destination stores.
struct Participant: Sendable {
    let peer: PeerID
    let access: AccessContext
    let account: Accounting.AccountID
    let label: String
    /// Whether the results of drops at its destinations are sent to it.
    let receivesResults: Bool
    /// Bytes that it has not read.
    let unread: UInt64

    var process: ProcessKey { access.process }

    /// For messages.
    var name: String { process.name(label: label) }
}

/// A client stream that is over: frames on it are late from now on.
struct ClosedStream: Sendable, Equatable {
    let peer: PeerID
    let stream: UInt64
    /// The items of a drag session that has ended: no session holds them now.
    var publication: PublicationID?
}

/// The work that a call leaves to its caller, because sessions have no access to loads.
enum SessionOutcome: Sendable {
    case continues
    /// The loads of a dropped session end with an error. The caller calls ``Sessions/finish(_:in:)`` after that, so
    /// that the source has nothing left to send when it is notified of the result.
    case endsLoads(EndedDrop)
}

/// A drop whose loads have to end before its result is reported.
struct EndedDrop: Sendable {
    let session: SessionID
    let publication: PublicationID
    /// The error of the loads.
    let cause: Failure
    /// The error of the drop; nil if its destination has all that it requested.
    let failure: Failure?
}

/// Whether a peer may load items of a drag session.
enum DropAccess: Sendable, Equatable {
    /// The peer is the destination of the drop, and the window is open.
    case allowed(isMove: Bool)
    /// The peer is the source or has been notified of the session, but may not load now.
    case notNow
    /// The peer must not learn of the session.
    case unknown
}
