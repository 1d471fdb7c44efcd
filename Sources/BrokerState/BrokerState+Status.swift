import PasteboardWire

// What is held and what is under way: sizes, types, ages and names, never contents.
extension BrokerState {
    mutating func status(_ status: Status, stream: UInt64, for peer: PeerID) throws(Failure) {
        try Feature.check(status.requires)
        guard let viewer = self.peers[peer]?.viewer else { return }
        let held = self.peerEntries() + self.boardEntries(for: viewer) + self.loadEntries(for: viewer)
        let sessions =
            self.sessions.sessionEntries(for: viewer, self.contents, at: self.now)
            + self.sessions.destinationEntries(for: viewer)
        for entry in held + sessions + self.counterEntries() + self.limitEntries() {
            self.outbox.send(entry, to: peer, stream: stream)
        }
        self.outbox.send(End(), to: peer, stream: stream)
    }

    /// Sums that are zero when nobody is connected and nothing is kept.
    package var held: Held {
        Held(
            peers: self.peers.count,
            loads: self.routes.count,
            writes: self.writes.count,
            publications: self.publications.count,
            sessions: self.sessions.sessionCount,
            destinationSessions: self.sessions.destinationSessionCount,
            destinations: self.sessions.destinationCount,
            waits: self.sessions.waitCount,
            accounts: self.accounting.accounts.count,
            objects: self.accounting.held.objects,
            metadata: self.accounting.held.metadata,
            keptBytes: self.accounting.kept.bytes,
            inTransfer: self.inTransfer,
            queued: self.accounting.queued
        )
    }

    package struct Held: Sendable, Equatable {
        package static let nothing = Held()

        package var peers = 0
        package var loads = 0
        package var writes = 0
        package var publications = 0
        package var sessions = 0
        package var destinationSessions = 0
        package var destinations = 0
        package var waits = 0
        package var accounts = 0
        package var objects: UInt64 = 0
        package var metadata: UInt64 = 0
        package var keptBytes: UInt64 = 0
        package var inTransfer: UInt64 = 0
        package var queued: UInt64 = 0
    }

    private func peerEntries() -> [StatusEntry] {
        self.peers.ids.compactMap { self.peers[$0] }.map { peer in
            var status = PeerStatus()
            status.process = peer.process.pid
            status.label = peer.label
            status.publications = UInt32(clamping: peer.publications)
            status.loads = UInt32(clamping: peer.openLoads)
            status.asks = UInt32(clamping: peer.openAsks + peer.waitingAsks.count)
            var entry = StatusEntry()
            entry.peer = status
            return entry
        }
    }

    private func boardEntries(for viewer: Viewer) -> [StatusEntry] {
        let full = self.boards.filter { $0.value.publication != nil }.sorted { $0.key < $1.key }
        return full.map { name, board in
            var status = BoardStatus()
            status.name = name
            status.changeCount = board.changeCount
            status.itemCount = 0
            let publication = board.publication.flatMap { self.publications[$0] }
            if let publication, let first = publication.places(for: viewer).first {
                status.itemCount = UInt32(clamping: publication.places(for: viewer).count)
                status.keptBytes = publication.keptBytes.reduce(0) { $0 + (self.kept[$1]?.count ?? 0) }
                status.ownerProcess = publication.ownerProcess.pid
                status.ownerLabel = publication.ownerLabel
                status.title = publication.items[first].presentation?.title
                status.types = publication.items[first].representations
                    .filter { viewer.sees($0.visibility, of: publication.writer) }.map(\.type)
            }
            var entry = StatusEntry()
            entry.board = status
            return entry
        }
    }

    private func loadEntries(for viewer: Viewer) -> [StatusEntry] {
        self.routes.ids.compactMap { self.routes[$0] }.filter { $0.phase != .ended }.map { route in
            var status = LoadStatus()
            if let publication = self.publications[route.publication] {
                let representation = publication.items[Int(route.item)].representations[Int(route.representation)]
                if viewer.sees(representation.visibility, of: publication.writer) { status.type = representation.type }
            }
            if case .peer(let source) = route.source { status.source = self.peers[source]?.process.pid }
            status.destination = self.peers[route.destination]?.process.pid
            status.byteCount = route.received
            status.milliseconds = self.now - route.startedAt
            var entry = StatusEntry()
            entry.load = status
            return entry
        }
    }

    private func counterEntries() -> [StatusEntry] {
        let counters: [(String, UInt64)] = [
            ("connections", self.counters.connections), ("violations", self.counters.violations),
            ("writes", self.counters.writes), ("clears", self.counters.clears),
            ("sessions", self.counters.sessions), ("drops", self.counters.drops), ("loads", self.counters.loads),
            ("loads-done", self.counters.loadsDone), ("loads-failed", self.counters.loadsFailed),
            ("bytes-given", self.counters.relayedBytes), ("bytes-kept-in-all", self.counters.keptBytes),
            ("bytes-kept", self.accounting.kept.bytes), ("bytes-in-transfer", self.inTransfer),
            ("bytes-queued", self.accounting.queued),
            ("objects-held", self.accounting.held.objects), ("descriptors-passed", self.counters.passedDescriptors),
            ("destinations-awaited", UInt64(self.sessions.waitCount)),
            ("descriptors-expected", self.passing), ("descriptors-unclosed", self.unclosedDescriptors),
        ]
        return counters.map { name, value in
            var entry = StatusEntry()
            entry.counter = NamedNumber(name, value)
            return entry
        }
    }

    private func limitEntries() -> [StatusEntry] {
        let set = BrokerLimits.entries.map { limit in
            NamedNumber(
                limit.name,
                self.limits[keyPath: limit.path],
                note: "\(limit.unit.rawValue): \(limit.meaning)"
            )
        }
        let fixed = BrokerLimits.fixed.map { limit in
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
