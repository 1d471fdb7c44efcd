import PasteboardWire

// Reports: the contents of a board, and the status of the broker. A status has sizes, types, ages and names, never contents.
extension BrokerState {
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
        let access = peers[slot].access
        if let id = boards.publication(on: name), let publication = contents.find(id) {
            let items = contents[publication].visibleItems(to: access)
            if !items.isEmpty {
                message.handle = id.rawValue
                message.itemCount = UInt32(clamping: items.count)
                message.ownerLabel = contents[publication].ownerLabel
                message.ownerProcess = contents[publication].ownerProcess.pid
            }
            context.send(message, to: peer, stream: stream)
            for item in items {
                context.send(contents.describe(item, of: publication, to: access), to: peer, stream: stream)
            }
        } else {
            context.send(message, to: peer, stream: stream)
        }
        context.send(End(), to: peer, stream: stream)
    }

    mutating func status(
        _ status: Status,
        stream: UInt64,
        for peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        try Feature.check(status.requires)
        let access = peers[slot].access
        for entry in entries(for: access) { context.send(entry, to: peer, stream: stream) }
        context.send(End(), to: peer, stream: stream)
    }

    private func entries(for access: AccessContext) -> [StatusEntry] {
        let held = peerEntries() + boardEntries(for: access) + loads.statusEntries(for: access, contents, context)
        let sessions =
            sessions.sessionEntries(for: access, contents, at: context.now) + sessions.destinationEntries(for: access)
        return held + sessions + counterEntries() + context.limits.statusEntries
    }

    private func peerEntries() -> [StatusEntry] {
        let publications = contents.publicationCounts
        return peers.ids.compactMap { id in
            guard let slot = peers.find(id) else { return nil }
            var status = PeerStatus()
            status.process = peers[slot].process.pid
            status.label = peers[slot].label
            status.publications = UInt32(clamping: publications[id] ?? 0)
            loads.describe(id, in: &status)
            var entry = StatusEntry()
            entry.peer = status
            return entry
        }
    }

    private func boardEntries(for access: AccessContext) -> [StatusEntry] {
        boards.full.map { board in
            var status = BoardStatus()
            status.name = board.name
            status.changeCount = board.changeCount
            contents.describe(board.publication, in: &status, to: access)
            var entry = StatusEntry()
            entry.board = status
            return entry
        }
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
        return numbers.map { name, value in
            var entry = StatusEntry()
            entry.counter = NamedNumber(name, value)
            return entry
        }
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
        return (set + fixed).map { limit in
            var entry = StatusEntry()
            entry.limit = limit
            return entry
        }
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
