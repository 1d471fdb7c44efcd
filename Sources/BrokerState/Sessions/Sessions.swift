import PasteboardWire

/// Drag sessions, the destinations on which they are dropped, and the waits of sources for destinations.
///
/// A drag session has one destination session for each destination that it has come to: the destination's view of it. The
/// rules of the two and of the drop are in their phases.
///
/// Loads are not known here. A call that leaves work on them to the caller returns a ``SessionOutcome``. Peers are not
/// known either: each request brings a ``Participant``, and client streams that are over are collected in
/// ``takeClosedStreams()``.
struct Sessions: ~Copyable, Sendable {
    var sessionTable = SlotTable<DragSession>()
    var destinationSessionTable = SlotTable<DestinationSession>()
    var destinationTable = SlotTable<StoredDestination>()
    var destinationNames: [String: DestinationID] = [:]
    var waitTable = SlotTable<DestinationWait>()
    /// For each peer that has had a destination.
    var announcements: [PeerID: Announcements] = [:]
    var closedStreams: [ClosedStream] = []

    var sessionCount: Int { sessionTable.count }
    var destinationSessionCount: Int { destinationSessionTable.count }
    var destinationCount: Int { destinationTable.count }
    var waitCount: Int { waitTable.count }

    /// The client streams that are over since the last call.
    mutating func takeClosedStreams() -> [ClosedStream] {
        guard !closedStreams.isEmpty else { return [] }
        defer { closedStreams.removeAll(keepingCapacity: true) }
        return closedStreams
    }

    // MARK: The end of a session

    /// Ends a session for all but its source, which has been notified. The streams of its destination sessions end, each
    /// once.
    ///
    /// - Parameter failure: the error for the destinations; nil for the ordinary end.
    mutating func end(_ id: SessionID, _ failure: Failure? = nil, _ context: inout BrokerContext) {
        endWaits(of: id, &context)
        guard let session = sessionTable.remove(id) else { return }
        for other in session.destinationSessions.values.sorted(by: { $0.slot < $1.slot }) {
            endDestinationSession(other, failure, &context)
        }
        closedStreams.append(
            ClosedStream(peer: session.source, stream: session.stream, publication: session.publication)
        )
    }

    /// Ends a session for both sides with an error. Loads that have begun go on.
    mutating func abort(_ id: SessionID, _ failure: Failure, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        context.send(failure, to: sessionTable[slot].source, stream: sessionTable[slot].stream)
        end(id, failure, &context)
    }

    /// Ends all sessions, or those that are not dropped, because the broker shuts down.
    mutating func abortAll(exceptDropped: Bool, _ failure: Failure, _ context: inout BrokerContext) {
        for id in sessionTable.ids {
            guard let slot = sessionTable.find(id), !exceptDropped || sessionTable[slot].phase.drop == nil else {
                continue
            }
            abort(id, failure, &context)
        }
    }

    /// A peer has gone. Its own sessions, destinations and waits have ended before.
    mutating func peerLeft(_ peer: PeerID) { announcements[peer] = nil }
}

/// The properties of a peer that a session, a destination or a wait stores.
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
    var name: String { label.isEmpty ? "pid \(process.pid)" : "\"\(label)\" (pid \(process.pid))" }
}

/// A client stream that is over: frames on it are late from now on.
struct ClosedStream: Sendable, Equatable {
    let peer: PeerID
    let stream: UInt64
    /// The items of a drag session that has ended: no session holds them any more.
    var publication: PublicationID?
}

/// The work that a call leaves to its caller, because sessions do not know loads.
enum SessionOutcome: Sendable {
    case continues
    /// The loads of a dropped session end with an error. The caller calls ``Sessions/finish(_:_:_:)`` after that, so that
    /// the source has nothing to send any more when it is notified of the result.
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
    /// The peer knows of the session.
    case notNow
    /// The peer must not learn of the session.
    case unknown
}
