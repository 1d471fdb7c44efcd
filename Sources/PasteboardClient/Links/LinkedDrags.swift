import PasteboardWire

/// The drag sessions that cross a link. Each destination of one machine has a counterpart `NAME@MACHINE` on the other.
///
/// A session at a counterpart, the *front*, is a session of this link at the destination itself, the *back*: what the
/// source does is repeated there, and what the destination answers is repeated here. The front is concluded only after
/// the back, so a source deletes nothing that has not arrived; if the link ends between, two copies are left.
final class LinkedDrags {
    /// A destination of the other machine.
    private struct Counterpart {
        let stream: UInt64
        let types: [String]
    }

    private final class Session {
        let name: String
        var front: DestinationSession
        var back = DragProgress()
        /// The stream of the back; nil until the front's items have arrived.
        var stream: UInt64?
        /// The number of items that the back has.
        var itemCount = 0

        init(_ name: String, _ front: DestinationSession) {
            (self.name, self.front) = (name, front)
        }
    }

    /// The destinations of one machine, and their counterparts on the other.
    private struct Way {
        let front: Link.Side
        /// The stream of a list of destinations, and those that were listed.
        var status: UInt64?
        var listed: [DestinationStatus] = []
        var isOutdated = false
        var counterparts: [String: Counterpart] = [:]
        /// The destinations that the broker of the front has refused. They are tried again when destinations change.
        var refused: Set<String> = []
        /// By the stream of the front.
        var sessions: [UInt64: Session] = [:]
    }

    /// The number of destinations of a machine that can have counterparts: as many as its broker has by default. A
    /// broker that lists more must not fill the memory.
    private static let longestList = 1_024

    private let connections: [LinkConnection]
    private var ways: [Way]
    /// The watches of the destinations, by side.
    private var watches: [UInt64] = []
    private var events: [(Link.Side, ClientEvent)] = []
    private let report: (String) -> Void
    /// Records that a publication of this link at a side has the bytes of one at the other side, or no longer.
    private let recordSource: (_ handle: UInt64, _ source: LinkedBoard.Source?, Link.Side) -> Void

    init(
        _ connections: [LinkConnection],
        from sides: [Link.Side],
        report: @escaping (String) -> Void,
        recordSource: @escaping (UInt64, LinkedBoard.Source?, Link.Side) -> Void
    ) throws(Failure) {
        self.connections = connections
        self.report = report
        self.recordSource = recordSource
        ways = sides.map { Way(front: $0) }
        for side in Link.Side.allCases {
            var watch = Watch()
            watch.destinations = true
            (watch.sinceChangeCount, watch.credit) = (0, 1)
            watch.requires = [Feature.links.rawValue]
            watches.append(try self[side].io.state.open(watch))
        }
    }

    private subscript(side: Link.Side) -> LinkConnection { connections[side.rawValue] }

    /// Keeps an event until the events of its connection are handled.
    func append(_ event: ClientEvent, from side: Link.Side) {
        events.append((side, event))
    }

    /// Handles the events that were kept.
    func handleEvents() {
        while !events.isEmpty {
            let (side, event) = events.removeFirst()
            if case .changed(watches[side.rawValue], _) = event { changed(side) }
            for index in ways.indices {
                if ways[index].front == side { handleFront(event, index) } else { handleBack(event, index) }
            }
        }
    }

    // MARK: Destinations

    /// Lists the destinations of both sides: one that has ended may have had the name of a counterpart.
    private func changed(_ side: Link.Side) {
        self[side].io.state.grantChange(watches[side.rawValue])
        for index in ways.indices {
            ways[index].isOutdated = true
            list(index)
        }
    }

    private func handleBack(_ event: ClientEvent, _ index: Int) {
        switch event {
        case .statusEntry(let stream, let entry) where stream == ways[index].status:
            if let destination = entry.destination, ways[index].listed.count < Self.longestList {
                ways[index].listed.append(destination)
            }
        case .failed(let stream, _) where stream == ways[index].status:
            // The broker is ending. Its destinations may still take drops.
            (ways[index].status, ways[index].listed) = (nil, [])
        case .ended(let stream, _) where stream == ways[index].status:
            ways[index].status = nil
            adjust(index, to: exchange(&ways[index].listed, with: []))
            list(index)
        default:
            guard let session = ways[index].sessions.values.first(where: { $0.stream == event.stream }) else { return }
            answer(session, after: event, index)
        }
    }

    private func list(_ index: Int) {
        guard ways[index].isOutdated, ways[index].status == nil else { return }
        ways[index].isOutdated = false
        // A connection that has ended fails at its next turn.
        ways[index].status = try? self[ways[index].front.other].io.state.open(Status())
    }

    /// Registers counterparts of new destinations, and ends those of destinations that have ended. Counterparts of a
    /// link have none.
    private func adjust(_ index: Int, to listed: [DestinationStatus]) {
        let front = self[ways[index].front]
        let machine = self[ways[index].front.other].machine
        let wanted = Dictionary(
            listed.filter { !$0.name.contains("@") }.map { ($0.name, $0.types) },
            uniquingKeysWith: { first, _ in first }
        )
        for (name, counterpart) in ways[index].counterparts where wanted[name] != counterpart.types {
            front.io.state.cancel(counterpart.stream)
            ways[index].counterparts[name] = nil
        }
        ways[index].refused.formIntersection(wanted.keys)
        for (name, types) in wanted where ways[index].counterparts[name] == nil {
            var destination = Destination()
            destination.name = "\(name)@\(machine)"
            destination.accepts = types.map { Accept($0) }
            destination.allowsSimultaneousSessions = true
            do {
                let stream = try front.io.state.open(destination)
                ways[index].counterparts[name] = Counterpart(stream: stream, types: types)
            } catch {
                refused(name, error, index)
            }
        }
    }

    private func refused(_ name: String, _ failure: Failure, _ index: Int) {
        guard ![.brokerRestarted, .brokerStopped].contains(failure.code), ways[index].refused.insert(name).inserted
        else { return }
        let (here, there) = (self[ways[index].front].machine, self[ways[index].front.other].machine)
        report("destination \(name) of \(there) is not on \(here): \(failure.text)")
    }

    // MARK: Sessions

    private func handleFront(_ event: ClientEvent, _ index: Int) {
        switch event {
        case .session(let stream, let message) where ways[index].sessions[stream] == nil:
            let name = ways[index].counterparts.first { $0.value.stream == message.destination }?.key
            if let name { ways[index].sessions[stream] = Session(name, DestinationSession(stream, message)) }
            return
        case .failed(let stream, let failure):
            // Another destination has the name of a counterpart, or the broker does not allow it.
            guard let name = ways[index].counterparts.first(where: { $0.value.stream == stream })?.key else { break }
            ways[index].counterparts[name] = nil
            refused(name, failure, index)
        default: break
        }
        guard let session = ways[index].sessions[event.stream] else { return }
        do throws(Failure) {
            try repeatFront(session, event, index)
        } catch {
            if let stream = session.stream { self[ways[index].front.other].io.state.cancel(stream) }
            self[ways[index].front].io.state.leave(session.front.stream)
            forget(session, index)
        }
    }

    private func repeatFront(_ session: Session, _ event: ClientEvent, _ index: Int) throws(Failure) {
        let back = self[ways[index].front.other]
        switch session.front.handle(event) {
        case .none: break
        case .propose(let sequence, var location, _):
            let stream = try offer(session, index)
            location.destination = session.name
            try back.io.state.move(stream, to: location, sequence: sequence)
        case .exited:
            guard let stream = session.stream else { return }
            try back.io.state.move(stream, to: nil, sequence: session.back.proposal?.sequence ?? 0)
        case .perform:
            guard let stream = session.stream else { return }
            back.io.state.drop(stream)
            self[ways[index].front].io.state.report(Progress(), on: session.front.stream)
        case .over:
            if let stream = session.stream { back.io.state.cancel(stream) }
            forget(session, index)
        }
    }

    /// Begins the back of a session, or adds the items that its front has got.
    private func offer(_ session: Session, _ index: Int) throws(Failure) -> UInt64 {
        let back = self[ways[index].front.other]
        let items = session.front.items.dropFirst(session.itemCount)
        if let stream = session.stream, items.isEmpty || session.back.handle == nil { return stream }
        var drag = Drag()
        drag.handle = session.back.handle
        if session.stream == nil {
            drag.allowsMove = session.front.allowsMove
            drag.movesBetweenProcesses = session.front.allowsMove
        }
        let stream = try back.io.state.open(drag)
        for item in items { try back.io.state.add(item.promised(isKept: false), to: stream) }
        back.io.state.commit(stream, itemCount: items.count)
        session.itemCount += items.count
        if let begun = session.stream {
            connect(session, index)
            return begun
        }
        session.stream = stream
        back.io.state.begin(stream)
        return stream
    }

    /// Records where the bytes of a session's items are.
    private func connect(_ session: Session, _ index: Int) {
        guard let handle = session.back.handle else { return }
        let source = LinkedBoard.Source(handle: session.front.handle, items: Array(0..<UInt32(session.itemCount)))
        recordSource(handle, source, ways[index].front.other)
    }

    /// Repeats at the front what the destination has answered at the back.
    private func answer(_ session: Session, after event: ClientEvent, _ index: Int) {
        let front = self[ways[index].front]
        session.back.handle(event)
        switch event {
        case .committed: connect(session, index)
        case .exited: front.io.state.exit(session.front.stream)
        case .proposed:
            guard var proposal = session.back.proposal, !session.front.isDropped else { return }
            if proposal.refusal != nil {
                (proposal.refusal, proposal.operation) = (nil, .cancel)
            }
            front.io.state.propose(proposal, on: session.front.stream)
        case .dropped, .progress, .transferred:
            front.io.state.report(Progress(), on: session.front.stream)
        default: break
        }
        guard let outcome = session.back.outcome else { return }
        var failure: Failure?
        switch outcome {
        case .transferred: break
        case .failed(var reason):
            reason.text += " (on \(self[ways[index].front.other].machine))"
            failure = reason
        case .cancelled:
            let text = "destination \(session.name) on \(self[ways[index].front.other].machine) has refused the drop"
            failure = Failure(.refused, text)
        }
        if session.front.isDropped {
            var (performed, conclude) = (Performed(), Conclude())
            (performed.failure, conclude.failure) = (failure, failure)
            front.io.state.performed(performed, on: session.front.stream)
            front.io.state.conclude(conclude, on: session.front.stream)
        } else {
            front.io.state.leave(session.front.stream)
        }
        forget(session, index)
    }

    private func forget(_ session: Session, _ index: Int) {
        ways[index].sessions[session.front.stream] = nil
        if let handle = session.back.handle { recordSource(handle, nil, ways[index].front.other) }
    }
}
