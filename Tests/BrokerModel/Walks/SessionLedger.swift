import BrokerState
import PasteboardWire

/// The actions and received frames of the sources and destinations of drag sessions, and the rules that were broken.
struct SessionLedger {
    private struct DragRecord {
        let allowsMove: Bool
        let movesBetweenProcesses: Bool
        let isRestricted: Bool
        let peer: PeerID
        var items: Int
        var handle: UInt64?
        var isBegun = false
        /// Whether a move is not answered.
        var isAsked = false
        var dropped: DropOperation?
        var isTransferred = false
        /// The operation of the last proposal that the source received.
        var proposed: DropOperation = .cancel
    }

    private struct DestinationSessionRecord {
        let handle: UInt64
        let destination: UInt64
        var isInside = false
        /// The sequence of the ask that the destination has not answered.
        var pending: UInt64?
        var sequence: UInt64 = 0
        var operation: DropOperation?
        var isTransferred = false
    }

    /// The progress of a session's drop.
    private struct DropRecord {
        let operation: DropOperation
        var isConcluded = false
        var hasFailed = false
        /// The items that have arrived, with the destination's indices.
        var arrived: Set<UInt32> = []
    }

    enum DestinationSessionState {
        case any, asked, dropped
    }

    private var drags: [WalkStream: DragRecord] = [:]
    private var destinationSessions: [WalkStream: DestinationSessionRecord] = [:]
    private var drops: [UInt64: DropRecord] = [:]
    private var additions: [WalkStream: (handle: UInt64, items: Int)] = [:]
    private var loads: [WalkStream: (handle: UInt64, item: UInt32)] = [:]
    private var closed: Set<WalkStream> = []
    private var processes: [PeerID: UInt32] = [:]
    private(set) var handles: [UInt64] = []
    private(set) var broken: [String] = []
    private(set) var performs = 0

    // MARK: Actions

    mutating func connected(_ peer: PeerID, process: UInt32) { processes[peer] = process }

    mutating func opened(_ stream: WalkStream, items: Int, _ drag: Drag) {
        drags[stream] = DragRecord(
            allowsMove: drag.allowsMove ?? true,
            movesBetweenProcesses: drag.movesBetweenProcesses ?? false,
            isRestricted: drag.isRestricted ?? false,
            peer: stream.peer,
            items: items
        )
    }

    mutating func begun(_ stream: WalkStream) { drags[stream]?.isBegun = true }

    mutating func moved(_ stream: WalkStream) { drags[stream]?.isAsked = true }

    mutating func adding(_ items: Int, on stream: WalkStream, to handle: UInt64) {
        additions[stream] = (handle, items)
    }

    mutating func cancelled(drag: WalkStream) {
        drags[drag] = nil
        closed.insert(drag)
    }

    mutating func cancelled(destinationSession: WalkStream) {
        destinationSessions[destinationSession] = nil
        closed.insert(destinationSession)
    }

    /// A destination has been unregistered: its sessions end without an exit.
    mutating func unregistered(_ destination: WalkStream) {
        for (destinationSession, record) in destinationSessions
        where destinationSession.peer == destination.peer && record.destination == destination.id {
            destinationSessions[destinationSession]?.isInside = false
        }
    }

    /// Returns the sequence that the destination answers.
    mutating func answered(_ destinationSession: WalkStream) -> UInt64 {
        let pending = destinationSessions[destinationSession]?.pending ?? 0
        destinationSessions[destinationSession]?.pending = nil
        return pending
    }

    mutating func isOutside(_ destinationSession: WalkStream) {
        destinationSessions[destinationSession]?.isInside = false
        destinationSessions[destinationSession]?.pending = nil
    }

    mutating func took(_ items: [UInt32], _ failure: Failure?, _ destinationSession: WalkStream) {
        guard let handle = destinationSessions[destinationSession]?.handle, let drag = self.drag(handle) else {
            return
        }
        if failure != nil { drops[handle]?.hasFailed = true }
        guard processes[drag.peer] == processes[destinationSession.peer] else { return }
        drops[handle]?.arrived.formUnion(items.filter { Int($0) < drag.items })
    }

    mutating func concluded(_ destinationSession: WalkStream, _ failure: Failure?) {
        guard failure == nil, let handle = destinationSessions[destinationSession]?.handle else { return }
        drops[handle]?.isConcluded = true
    }

    mutating func loading(_ item: UInt32, of handle: UInt64, on stream: WalkStream) {
        loads[stream] = (handle, item)
    }

    mutating func cancelled(load: WalkStream) { loads[load] = nil }

    mutating func disturbed(_ stream: WalkStream, by kind: FrameKind) {
        switch kind {
        case .begin: begun(stream)
        case .move: moved(stream)
        case .cancel, .error:
            if drags[stream] != nil {
                cancelled(drag: stream)
            } else if destinationSessions[stream] != nil {
                cancelled(destinationSession: stream)
            } else {
                unregistered(stream)
            }
        case .exit: isOutside(stream)
        case .conclude: concluded(stream, nil)
        default: break
        }
    }

    mutating func forget(_ peer: PeerID) {
        drags = drags.filter { $0.key.peer != peer }
        destinationSessions = destinationSessions.filter { $0.key.peer != peer }
        loads = loads.filter { $0.key.peer != peer }
        additions = additions.filter { $0.key.peer != peer }
    }

    // MARK: Candidates for an action

    private static func sorted(_ streams: some Sequence<WalkStream>) -> [WalkStream] {
        streams.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
    }

    func drags(isBegun: Bool) -> [WalkStream] {
        Self.sorted(drags.filter { $0.value.isBegun == isBegun && $0.value.handle != nil }.keys)
    }

    /// The sessions with a proposal of copy or move.
    var accepted: [WalkStream] {
        Self.sorted(drags.filter { $0.value.proposed.transfers && $0.value.dropped == nil && !$0.value.isAsked }.keys)
    }

    /// Whether the source may move or drop the session.
    func isFree(_ stream: WalkStream) -> Bool { drags[stream].map { $0.dropped == nil && !$0.isAsked } ?? false }

    func handle(of stream: WalkStream) -> UInt64? { drags[stream]?.handle ?? destinationSessions[stream]?.handle }

    func destinationSessions(_ state: DestinationSessionState) -> [WalkStream] {
        let destinationSessions = self.destinationSessions.filter { _, destinationSession in
            switch state {
            case .any: true
            case .asked: destinationSession.pending != nil
            case .dropped: destinationSession.operation != nil
            }
        }
        return Self.sorted(destinationSessions.keys)
    }

    func streams(of peer: PeerID) -> [UInt64] {
        (drags.keys.map(\.self) + destinationSessions.keys.map(\.self)).filter { $0.peer == peer }.map(\.id)
            .sorted()
    }

    private func drag(_ handle: UInt64) -> DragRecord? { drags.values.first { $0.handle == handle } }

    // MARK: Received frames

    func isLoad(_ frame: Frame, of peer: PeerID) -> Bool {
        loads[WalkStream(peer: peer, id: frame.stream)] != nil
    }

    mutating func receivedOfLoad(_ frame: Frame, by peer: PeerID) {
        let stream = WalkStream(peer: peer, id: frame.stream)
        guard let load = loads[stream], frame.kind == .error || frame.kind == .end || frame.last else { return }
        loads[stream] = nil
        if frame.kind != .error { drops[load.handle]?.arrived.insert(load.item) }
    }

    mutating func received(_ frame: Frame, on stream: WalkStream) {
        if closed.contains(stream) { return breaks("\(frame) came after the end") }
        if drags[stream] != nil { return receivedBySource(frame, stream) }
        if let addition = additions[stream] {
            let drag = drags.first { $0.value.handle == addition.handle }?.key
            if frame.kind == .committed, let drag { drags[drag]?.items += addition.items }
            if frame.kind == .end || frame.kind == .error { additions[stream] = nil }
            return
        }
        if frame.kind == .session || destinationSessions[stream] != nil {
            receivedByDestination(frame, stream)
        }
    }

    private mutating func breaks(_ what: String) { broken.append(what) }

    private mutating func receivedBySource(_ frame: Frame, _ stream: WalkStream) {
        guard let drag = drags[stream] else { return }
        switch frame.kind {
        case .committed:
            drags[stream]?.handle = frame.decode(Committed.self).handle
            handles.append(frame.decode(Committed.self).handle ?? 0)
            if handles.count > 12 { handles.removeFirst() }
        case .proposal, .exit:
            if drag.dropped != nil || !drag.isBegun {
                breaks("\(frame) of a session that is dropped or not begun")
            }
            if frame.kind == .proposal {
                if !drag.isAsked { breaks("\(frame) without a move") }
                drags[stream]?.isAsked = false
            } else if drag.isAsked {
                breaks("\(frame) instead of an answer")
            }
            drags[stream]?.proposed =
                frame.kind == .exit ? .cancel : frame.decode(Proposal.self).operation ?? .cancel
        case .dropped:
            if drag.dropped != nil || !drag.isBegun { breaks("\(frame) twice, or before it began") }
            drags[stream]?.dropped = frame.decode(Dropped.self).operation ?? .cancel
        case .transferred:
            checkTransferred(frame.decode(Transferred.self), drag)
            drags[stream]?.isTransferred = true
        case .end, .error:
            if frame.kind == .end, !drag.isTransferred, let drop = drops[drag.handle ?? 0], !drop.arrived.isEmpty {
                breaks("\(frame): items arrived and the source was not notified")
            }
            drags[stream] = nil
            closed.insert(stream)
        default: breaks("\(frame) to a source")
        }
    }

    private mutating func checkTransferred(_ transferred: Transferred, _ drag: DragRecord) {
        let handle = drag.handle ?? 0
        guard let drop = drops[handle], !drag.isTransferred, drag.dropped == transferred.operation,
            drop.operation == transferred.operation
        else { return breaks("transferred twice, or what was not dropped") }
        if loads.values.contains(where: { $0.handle == handle }) {
            breaks("transferred before the last load")
        }
        guard transferred.failure == nil else {
            if drop.operation == .move, !drop.isConcluded, !transferred.items.isEmpty {
                breaks("a move that failed names items before it was concluded")
            }
            return
        }
        if drop.hasFailed { breaks("transferred, though the destination did not take it") }
        guard drop.operation == .move else { return }
        if !drop.isConcluded { breaks("moved without a conclusion") }
        if drop.arrived.count < drag.items || transferred.items.count != drag.items {
            breaks("moved, and \(drop.arrived.count) of \(drag.items) items arrived")
        }
    }

    private mutating func receivedByDestination(_ frame: Frame, _ stream: WalkStream) {
        if frame.kind == .session {
            let session = frame.decode(Session.self)
            if let known = destinationSessions[stream] {
                if known.handle != session.handle || known.operation != nil {
                    breaks("\(frame) of another session")
                }
                return
            }
            let handle = session.handle ?? 0
            destinationSessions[stream] = DestinationSessionRecord(
                handle: handle,
                destination: session.destination ?? 0
            )
            if let drag = self.drag(handle), !drag.isBegun { breaks("\(frame) of a session that has not begun") }
            if let drag = self.drag(handle), drag.isRestricted,
                processes[drag.peer] != processes[stream.peer]
            {
                breaks("\(frame) of a session of another process alone")
            }
            return
        }
        guard let destinationSession = destinationSessions[stream] else { return }
        switch frame.kind {
        case .item: break
        case .enter:
            if destinationSession.isInside || destinationSession.operation != nil {
                breaks("\(frame) of a session that is inside")
            }
            asked(frame.decode(Enter.self).sequence, stream)
        case .update:
            if !destinationSession.isInside { breaks("\(frame) of a session that is not inside") }
            asked(frame.decode(Update.self).sequence, stream)
        case .exit:
            if !destinationSession.isInside { breaks("\(frame) of a session that is not inside") }
            destinationSessions[stream]?.isInside = false
        case .transferred:
            if destinationSession.operation == nil || destinationSession.isTransferred {
                breaks("\(frame) twice, or without a drop")
            }
            if destinationSession.operation != frame.decode(Transferred.self).operation {
                breaks("\(frame) of another drop")
            }
            destinationSessions[stream]?.isTransferred = true
        case .perform: performs(frame.decode(Perform.self).operation ?? .cancel, destinationSession, stream)
        case .end, .error:
            if destinationSession.isInside { breaks("\(frame) without an exit") }
            destinationSessions[stream] = nil
            closed.insert(stream)
        default: breaks("\(frame) to a destination")
        }
    }

    private mutating func asked(_ sequence: UInt64?, _ stream: WalkStream) {
        guard let destinationSession = destinationSessions[stream] else { return }
        if destinationSession.pending != nil { breaks("asked again before the answer") }
        if sequence ?? 0 <= destinationSession.sequence { breaks("asked with sequence \(sequence ?? 0) again") }
        destinationSessions[stream]?.isInside = true
        destinationSessions[stream]?.pending = sequence
        destinationSessions[stream]?.sequence = sequence ?? 0
    }

    private mutating func performs(
        _ operation: DropOperation,
        _ destinationSession: DestinationSessionRecord,
        _ stream: WalkStream
    ) {
        performs += 1
        if !destinationSession.isInside || destinationSession.pending != nil {
            breaks("performed outside, or unanswered")
        }
        if drops[destinationSession.handle] != nil { breaks("dropped twice") }
        destinationSessions[stream]?.isInside = false
        destinationSessions[stream]?.operation = operation
        drops[destinationSession.handle] = DropRecord(operation: operation)
        guard let drag = self.drag(destinationSession.handle) else { return breaks("performed for nobody") }
        let isOwn = processes[drag.peer] == processes[stream.peer]
        if operation == .move, !drag.allowsMove || !(isOwn || drag.movesBetweenProcesses) {
            breaks("a move that is not allowed")
        }
        if operation != .copy && operation != .move { breaks("performed with operation \(operation)") }
    }

    mutating func checkAllEnded() {
        if !drags.isEmpty || !destinationSessions.isEmpty || !loads.isEmpty {
            breaks(
                "\(drags.count) sessions, \(destinationSessions.count) destination sessions, \(loads) never ended"
            )
        }
    }
}
