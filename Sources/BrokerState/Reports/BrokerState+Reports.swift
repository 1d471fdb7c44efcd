import PasteboardWire

// Reports: the contents of a board, and the status of the broker. A status has sizes, types, ages and names, never
// contents.
//
// A peer has one report at a time: while it is sent, the driver keeps the peer's next requests back. It calls
// `continueReport` when the peer has read enough.
extension BrokerState {
    /// The size of a piece of a report, in bytes of frames.
    private static let pieceSize = 16 << 10
    /// The cost of a piece. Most entries may be invisible to the peer.
    private static let pieceCost = 1_000

    /// The origin of what a board has, for a peer that is sent it.
    func origin(of name: String, to slot: Peers.Slot) -> Origin? {
        guard peers[slot].access.carriesOrigins else { return nil }
        return boards.origin(of: name)?.message(at: world.context.epoch)
    }

    mutating func list(_ list: List, on stream: PeerStream) throws(Failure) {
        try Feature.check(list.requires)
        let name = list.board ?? BoardName.general
        try BoardName.check(name)
        var message = Contents()
        let shown = boards.count(of: name)
        message.changeCount = shown.changeCount
        message.epoch = shown.epoch
        guard let id = boards.publication(on: name),
            let publication = world.contents.visible(id, to: peers[stream.slot].access)
        else {
            let access = peers[stream.slot].access
            if boards.publication(on: name) == nil { message.origin = origin(of: name, to: stream.slot) }
            message.clearedMilliseconds = boards.timeSinceEviction(from: name, for: access, at: world.context.elapsed)
            world.context.send(message, on: stream)
            return world.context.send(End(), on: stream)
        }
        if world.contents[publication].isRestricted {
            world.context.cost += world.contents[publication].items.count * Cost.checkedItem
        }
        let count = world.contents.visibleItemCount(of: publication, to: peers[stream.slot].access)
        world.contents.describe(id, itemCount: count, in: &message, world.context)
        if count > 0 {
            message.milliseconds = world.contents.age(of: publication, world.context)
            message.origin = origin(of: name, to: stream.slot)
        }
        world.context.send(message, on: stream)
        world.contents.hold(id, &world.context)
        begin(Report(stream: stream.id, position: .items(of: id, from: 0)), for: stream.peer)
    }

    mutating func status(_ status: Status, on stream: PeerStream) throws(Failure) {
        try Feature.check(status.requires)
        let hasHistory = status.history == true
        begin(Report(stream: stream.id, position: .peers(after: nil), hasHistory: hasHistory), for: stream.peer)
    }

    // MARK: Pieces

    /// Sends the first piece. If entries remain, the driver is asked to continue.
    private mutating func begin(_ report: Report, for peer: PeerID) {
        peers.setTarget(.report(report), of: report.stream, at: peer)
        if !continueReport(report, for: peer) { world.context.perform(.continueReport(peer)) }
    }

    /// Sends the next piece of a peer's report, and returns whether it has ended.
    package mutating func continueReport(for peer: PeerID) -> Bool {
        guard let report = peers.report(of: peer) else { return true }
        return continueReport(report, for: peer)
    }

    private mutating func continueReport(_ report: Report, for peer: PeerID) -> Bool {
        var report = report
        guard sendPiece(to: peer, size: Self.pieceSize, { $0.sendEntry(of: &report, to: peer, $1) }) else {
            peers.setTarget(.report(report), of: report.stream, at: peer)
            return false
        }
        world.context.send(End(), to: peer, stream: report.stream)
        end(report, for: peer)
        return true
    }

    /// Sends a peer a piece of a report, or of the changes that it watches, and returns whether nothing is left. The
    /// entry that reaches the size of the piece, in bytes of frames, is sent whole.
    ///
    /// - Parameter sendNext: sends the next entry; false if there is none.
    mutating func sendPiece(to peer: PeerID, size: Int, _ sendNext: (inout BrokerState, Peers.Slot) -> Bool) -> Bool {
        let start = world.context.outbox.frames.count
        let limit = world.context.cost + Self.pieceCost
        while world.context.outbox.frames.count - start < size, world.context.cost < limit {
            guard let slot = peers.find(peer), !peers[slot].isDeaf, sendNext(&self, slot) else { return true }
            world.context.cost += Cost.entry
        }
        return false
    }

    /// Ends a report whose peer does not want or get the rest.
    mutating func end(_ report: Report, for peer: PeerID) {
        peers.setTarget(nil, of: report.stream, at: peer)
        if case .items(let id, _) = report.position, let slot = world.contents.find(id) {
            world.contents.release(slot, &world.context)
        }
    }

    /// Sends one entry at most, and advances the position. Returns false at the end.
    private mutating func sendEntry(of report: inout Report, to peer: PeerID, _ slot: Peers.Slot) -> Bool {
        let access = peers[slot].access
        var entry: StatusEntry?
        switch report.position {
        case .items(let id, let index):
            guard let publication = world.contents.find(id), index < world.contents[publication].items.count else {
                return false
            }
            report.position = .items(of: id, from: index + 1)
            world.context.cost += world.contents[publication].items[index].representations.count / 4
            if let item = world.contents.describe(index, of: publication, to: access) {
                world.context.send(item, to: peer, stream: report.stream)
            }
            // The list ends with the last item and not with the next piece, so that a slow reader does not hold it
            // longer.
            return index + 1 < world.contents[publication].items.count
        case .peers(let last):
            let next = peers.next(after: last)
            report.position =
                next.map { .peers(after: $0) } ?? .boards(boards.listed, from: 0)
            entry = next.map { StatusEntry(\.peer, status(of: $0)) }
        case .boards(let names, let index):
            report.position = index < names.count ? .boards(names, from: index + 1) : .loads(after: nil)
            if index < names.count {
                entry = status(ofBoard: names[index], for: access).map { StatusEntry(\.board, $0) }
            }
        case .loads(let last):
            let next = loads.next(after: last)
            report.position = next.map { .loads(after: $0) } ?? .sessions(after: nil)
            entry = next.flatMap { loads.status(of: $0, for: access, in: world) }.map { StatusEntry(\.load, $0) }
        case .sessions(let last):
            let next = sessions.nextSession(after: last)
            report.position =
                next.map { .sessions(after: $0) } ?? .destinations(sessions.sortedDestinationNames, from: 0)
            entry = next.flatMap { sessions.status(of: $0, for: access, in: world) }
                .map { StatusEntry(\.session, $0) }
        case .destinations(let names, let index):
            report.position =
                index < names.count
                ? .destinations(names, from: index + 1)
                : report.hasHistory ? .processes(after: nil) : .rest
            if index < names.count {
                entry = sessions.status(ofDestination: names[index], for: access).map { StatusEntry(\.destination, $0) }
            }
        case .processes(let last):
            let next = world.context.accounting.accounts.next(after: last)
            report.position = next.map { .processes(after: $0) } ?? .rest
            entry = next.flatMap { world.context.accounting.status(of: $0) }.map { StatusEntry(\.process, $0) }
        case .rest:
            for entry in (report.hasHistory ? closedEntries() : []) + counterEntries()
                + world.context.limits.statusEntries
            {
                world.context.send(entry, to: peer, stream: report.stream)
            }
            return false
        }
        if let entry { world.context.send(entry, to: peer, stream: report.stream) }
        return true
    }

    // MARK: Entries

    private mutating func status(of slot: Peers.Slot) -> PeerStatus {
        var status = PeerStatus()
        status.process = peers[slot].process.pid
        status.label = peers[slot].label
        status.publications = UInt32(clamping: peers[slot].publicationCount)
        if peers.isLink(at: slot) {
            status.isLink = true
            status.milliseconds = world.context.now - min(world.context.now, peers[slot].connectedAt)
        }
        loads.describe(peers.id(of: slot), in: &status)
        return status
    }

    /// Returns nil if the board is empty, unless a client has created it.
    private mutating func status(ofBoard name: String, for access: AccessContext) -> BoardStatus? {
        var status = BoardStatus()
        status.name = name
        status.changeCount = boards.changeCount(of: name)
        guard let publication = boards.publication(on: name), world.contents.visible(publication, to: access) != nil
        else {
            status.itemCount = 0
            return boards.isCreated(name) ? status : nil
        }
        if let slot = world.contents.find(publication) {
            world.context.cost += world.contents[slot].items.count * Cost.checkedItem
        }
        world.contents.describe(publication, in: &status, to: access, world.context)
        return status
    }

    private func closedEntries() -> [StatusEntry] {
        peers.closed.entries.map { closed in
            var entry = ClosedPeer()
            entry.process = closed.process.pid
            entry.label = closed.label.isEmpty ? nil : closed.label
            entry.reason = closed.reason?.prefix(utf8Count: WireLimits.name)
            entry.milliseconds = world.context.now - min(world.context.now, closed.at)
            return StatusEntry(\.closed, entry)
        }
    }

    private mutating func counterEntries() -> [StatusEntry] {
        let counters = world.context.counters
        let kept = world.context.accounting.total(of: .keptBytes) - world.contents.concealedKeptBytes
        let numbers: [(String, UInt64)] = [
            ("connections", counters.connections), ("violations", counters.violations), ("writes", counters.writes),
            ("clears", counters.clears), ("sessions", counters.sessions), ("drops", counters.drops),
            ("loads", counters.loads), ("loads-done", counters.loadsDone), ("loads-failed", counters.loadsFailed),
            ("bytes-given", counters.relayedBytes), ("bytes-kept-in-all", counters.keptBytes),
            ("bytes-kept", kept),
            ("bytes-in-transfer", world.context.accounting.total(of: .transfer)),
            ("bytes-queued", world.context.accounting.total(of: .queued)),
            ("objects-held", world.context.accounting.total(of: .objects)),
            ("descriptors-passed", counters.passedDescriptors), ("watches", UInt64(watches.count)),
            ("descriptors-expected", loads.expectedDescriptors),
            ("descriptors-unclosed", world.context.unclosedDescriptors),
        ]
        return numbers.map { name, value in StatusEntry(\.counter, NamedNumber(name, value)) }
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
        return (set + fixed).map { StatusEntry(\.limit, $0) }
    }
}

extension StatusEntry {
    fileprivate init<Value>(_ field: WritableKeyPath<StatusEntry, Value?>, _ value: Value) {
        self.init()
        self[keyPath: field] = value
    }
}

extension Accounting {
    /// Returns nil if the process has no connections.
    fileprivate func status(of slot: SlotTable<Account>.Slot) -> ProcessStatus? {
        let connections = accounts[slot].held[.connections]
        guard connections > 0 else { return nil }
        var status = ProcessStatus()
        status.process = accounts[slot].process.pid
        status.connections = UInt32(clamping: connections)
        status.microseconds = UInt64(clamping: accounts[slot].cost / Cost.unitsPerMicrosecond)
        return status
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
