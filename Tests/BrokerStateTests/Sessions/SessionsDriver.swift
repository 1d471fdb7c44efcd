import BrokerModel
import PasteboardWire
import Testing
import TypeIdentifiers

@testable import BrokerState

/// Drives `Sessions` with contents and a context, but without loads, peers and client frames.
final class SessionsDriver {
    var sessions = Sessions()
    var contents = ContentStore(epoch: 1)
    var context = BrokerContext(limits: BrokerLimits(), epoch: 1)
    private var nextPeer: UInt32 = 0

    init() { context.now = 1_000 }

    /// Adds a peer of the process.
    func participant(_ label: String, process pid: UInt32) throws -> Participant {
        nextPeer += 1
        let process = ProcessKey(pid: pid, identity: 1)
        return Participant(
            peer: PeerID(slot: nextPeer, generation: 1),
            access: AccessContext(process: process),
            account: try context.accounting.connect(process, limit: 8),
            label: label,
            receivesResults: true,
            unread: 0
        )
    }

    /// Begins a session with one item for each type, over no destination.
    func begin(_ types: [String] = ["public.text"], stream: UInt64 = 1, by source: Participant) throws -> SessionID {
        let charge = try context.charge(source.account, for: "a publication")
        let publication = contents.insert(
            Publication(
                owner: (source.peer, stream),
                writer: source.access,
                ownerLabel: source.label,
                boardName: "",
                items: types.map(Self.item),
                charge: charge,
                committedAt: context.now
            )
        )
        var drag = Drag()
        drag.movesBetweenProcesses = true
        let session = sessions.open(
            drag,
            publication,
            stream: stream,
            by: source.peer,
            of: source.process,
            source.account,
            &context
        )
        contents.setSession(session, of: publication)
        try sessions.fromSource(.begin, of: session, [UInt8]().span, contents, &context)
        return session
    }

    private static func item(_ type: String) -> StoredItem {
        let representation = StoredRepresentation(
            type: type,
            supertypes: [],
            visibility: .all,
            isKeptOnce: false,
            isOpenInPlace: false,
            firstByteMilliseconds: 0,
            byteCount: nil,
            file: nil
        )
        var types = Conformance.TypeIndex()
        types.append(type, closure: [])
        return StoredItem(
            suggestedName: nil,
            presentation: nil,
            teamData: nil,
            types: types,
            representations: [representation]
        )
    }

    @discardableResult
    func register(_ name: String = "shelf", stream: UInt64 = 1, by owner: Participant) throws -> DestinationID {
        var message = Destination()
        message.name = name
        return try sessions.register(message, stream: stream, by: owner, &context)
    }

    /// Sends a frame of the session's source.
    func send(_ message: some WireMessage, of session: SessionID) throws {
        try sessions.fromSource(type(of: message).kind, of: session, payload(message).span, contents, &context)
    }

    /// Sends a frame of a destination.
    func send(_ message: some WireMessage, on stream: UInt64, by destination: Participant) throws {
        let kind = type(of: message).kind
        let bytes = payload(message)
        try sessions.fromDestination(kind, stream: stream, bytes.span, from: destination.peer, contents, &context)
    }

    private func payload(_ message: some WireMessage) -> [UInt8] {
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        return bytes
    }

    /// The frames to a peer since the last call. Frames to other peers are discarded.
    func take(_ participant: Participant) -> [Frame] {
        defer { context.outbox.removeAll() }
        return context.outbox.eachFrame.filter { $0.send.peer == participant.peer }.compactMap {
            send,
            header,
            payload in
            guard let kind = header.kind else { return nil }
            return Frame(kind: kind, stream: header.stream, payload: payload, last: false, order: send.order)
        }
    }

    /// Moves a session to a destination, which proposes an operation, and drops it there.
    ///
    /// - Returns: the stream of the destination session.
    func drop(_ session: SessionID, _ operation: DropOperation, on destination: Participant) throws -> UInt64 {
        var move = Move()
        move.location = Location()
        move.location?.destination = "shelf"
        try send(move, of: session)
        let stream = try #require(take(destination).first { $0.kind == .enter }?.stream)
        var proposal = Proposal()
        proposal.sequence = 1
        proposal.operation = operation
        try send(proposal, on: stream, by: destination)
        try send(Drop(), of: session)
        return stream
    }

    // MARK: Methods of `Sessions`, wrapped because `#expect` cannot use noncopyable values

    var closedStreams: [ClosedStream] { sessions.takeClosedStreams() }

    func access(to session: SessionID, by participant: Participant) -> DropAccess {
        sessions.access(to: session, by: participant.peer)
    }

    func publicationInTransfer(_ session: SessionID) -> PublicationID? { sessions.publicationInTransfer(session) }

    func withdrawNext(from destination: DestinationID) -> SessionOutcome? {
        sessions.withdrawNext(from: destination, contents, &context)
    }

    func finish(_ drop: EndedDrop) { sessions.finish(drop, contents, &context) }

    func loadEnded(_ part: PublicationPart, of session: SessionID) {
        sessions.loadEnded(part, of: session, nil, contents, &context)
    }

    func wait(for name: String, stream: UInt64, by participant: Participant) throws -> WaitID? {
        var message = Wait()
        message.destination = name
        return try sessions.wait(message, stream: stream, by: participant, contents, &context)
    }

    /// Advances the time, and returns the first session whose deadline has passed.
    func overdue(after milliseconds: UInt64) -> SessionID? {
        context.now += milliseconds
        var cursor: SlotTable<DragSession>.Slot?
        return sessions.nextOverdue(after: &cursor, &context)
    }

    func expire(_ session: SessionID) -> SessionOutcome { sessions.expire(session, contents, &context) }

    /// The numbers of drag sessions, destination sessions, destinations and waits.
    var counts: [Int] {
        [sessions.sessionCount, sessions.destinationSessionCount, sessions.destinationCount, sessions.waitCount]
    }
}
