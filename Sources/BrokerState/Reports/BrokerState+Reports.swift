import PasteboardWire

// Reports: the contents of a board, and the status of the broker. A status has sizes, types, ages and names, never contents.
//
// A peer has one report at a time: while it is sent, the driver keeps the peer's next requests back. It calls
// `continueReport` when the peer has read enough.
extension BrokerState {
    /// The size of a piece of a report, in bytes of frames. The entry that reaches it is sent whole.
    private static let pieceSize = 16 << 10
    /// The cost of a piece, of which most entries may be invisible to the peer.
    private static let pieceCost = 1_000

    mutating func list(
        _ list: List,
        stream: UInt64,
        for peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        try Feature.check(list.requires)
        let name = list.board ?? BoardName.general
        try BoardName.check(name)
        var message = Contents()
        message.changeCount = boards.changeCount(of: name)
        message.epoch = context.epoch
        guard let id = boards.publication(on: name), let publication = contents.find(id) else {
            context.send(message, to: peer, stream: stream)
            return context.send(End(), to: peer, stream: stream)
        }
        if contents[publication].isRestricted {
            context.cost += contents[publication].items.count * Cost.checkedItem
        }
        let count = contents.visibleItemCount(of: publication, to: peers[slot].access)
        if count > 0 {
            message.handle = id.rawValue
            message.itemCount = UInt32(clamping: count)
            message.ownerLabel = contents[publication].ownerLabel
            message.ownerProcess = contents[publication].ownerProcess.pid
        }
        context.send(message, to: peer, stream: stream)
        contents.hold(id, &context)
        begin(Report(stream: stream, position: .items(of: id, from: 0)), for: peer)
    }

    mutating func status(
        _ status: Status,
        stream: UInt64,
        for peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        try Feature.check(status.requires)
        begin(Report(stream: stream, position: .peers(after: nil)), for: peer)
    }

    // MARK: Pieces

    /// Sends the first piece. If entries remain, the driver is asked to continue.
    private mutating func begin(_ report: Report, for peer: PeerID) {
        peers.setTarget(.report(report), of: report.stream, at: peer)
        if !continueReport(report, for: peer) { context.perform(.continueReport(peer)) }
    }

    /// Sends the next piece of a peer's report, and returns whether it has ended.
    package mutating func continueReport(for peer: PeerID) -> Bool {
        guard let report = peers.report(of: peer) else { return true }
        return continueReport(report, for: peer)
    }

    private mutating func continueReport(_ report: Report, for peer: PeerID) -> Bool {
        var report = report
        let start = context.outbox.frames.count
        let limit = context.cost + Self.pieceCost
        while context.outbox.frames.count - start < Self.pieceSize, context.cost < limit {
            guard let slot = peers.find(peer), !peers[slot].isDeaf, sendEntry(of: &report, to: peer, slot) else {
                context.send(End(), to: peer, stream: report.stream)
                end(report, for: peer)
                return true
            }
            context.cost += Cost.entry
        }
        peers.setTarget(.report(report), of: report.stream, at: peer)
        return false
    }

    /// Ends a report whose peer does not want or get the rest.
    mutating func end(_ report: Report, for peer: PeerID) {
        peers.setTarget(nil, of: report.stream, at: peer)
        if case .items(let id, _) = report.position, let slot = contents.find(id) { contents.release(slot, &context) }
    }

    /// Sends one entry at most, and advances the position. Returns false at the end.
    private mutating func sendEntry(of report: inout Report, to peer: PeerID, _ slot: Peers.Slot) -> Bool {
        let access = peers[slot].access
        var entry: StatusEntry?
        switch report.position {
        case .items(let id, let index):
            guard let publication = contents.find(id), index < contents[publication].items.count else { return false }
            report.position = .items(of: id, from: index + 1)
            context.cost += contents[publication].items[index].representations.count / 4
            if let item = contents.describe(index, of: publication, to: access) {
                context.send(item, to: peer, stream: report.stream)
            }
            // The list ends with the last item and not with the next piece, so that a slow reader does not hold it longer.
            return index + 1 < contents[publication].items.count
        case .peers(let last):
            let next = peers.next(after: last)
            report.position = next.map { .peers(after: $0) } ?? .boards(boards.full, from: 0)
            entry = next.map { StatusEntry(peer: status(of: $0)) }
        case .boards(let names, let index):
            report.position = index < names.count ? .boards(names, from: index + 1) : .loads(after: nil)
            if index < names.count { entry = status(ofBoard: names[index], for: access).map { StatusEntry(board: $0) } }
        case .loads(let last):
            let next = loads.next(after: last)
            report.position = next.map { .loads(after: $0) } ?? .sessions(after: nil)
            entry = next.flatMap { loads.status(of: $0, for: access, contents, context) }.map { StatusEntry(load: $0) }
        case .sessions(let last):
            let next = sessions.nextSession(after: last)
            report.position =
                next.map { .sessions(after: $0) } ?? .destinations(sessions.sortedDestinationNames, from: 0)
            entry = next.flatMap { sessions.status(of: $0, for: access, contents, at: context.now) }
                .map { StatusEntry(session: $0) }
        case .destinations(let names, let index):
            report.position = index < names.count ? .destinations(names, from: index + 1) : .numbers
            if index < names.count {
                entry = sessions.status(ofDestination: names[index], for: access).map { StatusEntry(destination: $0) }
            }
        case .numbers:
            for entry in counterEntries() + context.limits.statusEntries {
                context.send(entry, to: peer, stream: report.stream)
            }
            return false
        }
        if let entry { context.send(entry, to: peer, stream: report.stream) }
        return true
    }

    // MARK: Entries

    private mutating func status(of slot: Peers.Slot) -> PeerStatus {
        var status = PeerStatus()
        status.process = peers[slot].process.pid
        status.label = peers[slot].label
        status.publications = UInt32(clamping: peers[slot].publicationCount)
        loads.describe(peers.id(of: slot), in: &status)
        return status
    }

    /// Returns nil if the board is empty.
    private mutating func status(ofBoard name: String, for access: AccessContext) -> BoardStatus? {
        guard let publication = boards.publication(on: name) else { return nil }
        var status = BoardStatus()
        status.name = name
        status.changeCount = boards.changeCount(of: name)
        if let slot = contents.find(publication) { context.cost += contents[slot].items.count * Cost.checkedItem }
        contents.describe(publication, in: &status, to: access)
        return status
    }

    private func counterEntries() -> [StatusEntry] {
        let counters = context.counters
        let numbers: [(String, UInt64)] = [
            ("connections", counters.connections), ("violations", counters.violations), ("writes", counters.writes),
            ("clears", counters.clears), ("sessions", counters.sessions), ("drops", counters.drops),
            ("loads", counters.loads), ("loads-done", counters.loadsDone), ("loads-failed", counters.loadsFailed),
            ("bytes-given", counters.relayedBytes), ("bytes-kept-in-all", counters.keptBytes),
            ("bytes-kept", context.accounting.total(of: .keptBytes)), ("bytes-in-transfer", loads.inTransfer),
            ("bytes-queued", context.accounting.queued), ("objects-held", context.accounting.total(of: .objects)),
            ("descriptors-passed", counters.passedDescriptors), ("destinations-awaited", UInt64(sessions.waitCount)),
            ("descriptors-expected", loads.expectedDescriptors), ("descriptors-unclosed", context.unclosedDescriptors),
        ]
        return numbers.map { name, value in StatusEntry(counter: NamedNumber(name, value)) }
    }
}

extension BrokerLimits {
    fileprivate var statusEntries: [StatusEntry] {
        let set = Self.entries.map { limit in
            NamedNumber(limit.name, self[keyPath: limit.path], note: "\(limit.unit.rawValue): \(limit.meaning)")
        }
        let fixed = Self.fixed.map { limit in
            NamedNumber(limit.name, UInt64(limit.value), note: "count: \(limit.meaning); fixed by the protocol")
        }
        return (set + fixed).map { StatusEntry(limit: $0) }
    }
}

extension StatusEntry {
    fileprivate init(
        peer: PeerStatus? = nil,
        board: BoardStatus? = nil,
        load: LoadStatus? = nil,
        session: SessionStatus? = nil,
        destination: DestinationStatus? = nil,
        counter: NamedNumber? = nil,
        limit: NamedNumber? = nil
    ) {
        self.init()
        self.peer = peer
        self.board = board
        self.load = load
        self.session = session
        self.destination = destination
        self.counter = counter
        self.limit = limit
    }
}

extension NamedNumber {
    fileprivate init(_ name: String, _ value: UInt64, note: String? = nil) {
        self.init()
        self.name = name
        self.value = value
        self.note = note
    }
}
