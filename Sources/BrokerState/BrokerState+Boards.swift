import PasteboardWire

// Named pasteboards: what they hold, and what number their contents have.
extension BrokerState {
    mutating func list(_ list: List, stream: UInt64, for peer: PeerID) throws(Failure) {
        try Feature.check(list.requires)
        let name = list.board ?? BoardName.general
        try BoardName.check(name)
        let board = self.boards[name]
        var contents = PasteboardWire.Contents()
        contents.changeCount = self.changeCount(of: name)
        contents.epoch = self.epoch
        if let id = board?.publication, let slot = self.publications.find(id), let viewer = self.peers[peer]?.viewer {
            let publication = self.publications[slot]
            let places = publication.places(for: viewer)
            if !places.isEmpty {
                contents.handle = id.rawValue
                contents.itemCount = UInt32(clamping: places.count)
                contents.ownerLabel = publication.ownerLabel
                contents.ownerProcess = publication.ownerProcess.pid
            }
            self.outbox.send(contents, to: peer, stream: stream)
            for place in places {
                let item = self.contents.describe(place, of: slot, to: viewer)
                self.outbox.send(item, to: peer, stream: stream)
            }
        } else {
            self.outbox.send(contents, to: peer, stream: stream)
        }
        self.outbox.send(End(), to: peer, stream: stream)
    }

    mutating func clear(_ clear: Clear, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(clear.requires)
        let name = clear.board ?? BoardName.general
        try BoardName.check(name)
        try self.checkCondition(clear.ifChangeCount, board: name)
        self.counters.clears += 1
        var committed = Committed()
        committed.changeCount = self.change(name, to: nil, reason: .cleared)
        committed.epoch = self.epoch
        self.outbox.send(committed, to: peer, stream: stream)
        self.outbox.send(End(), to: peer, stream: stream)
    }

    func checkCondition(_ changeCount: UInt64?, board name: String) throws(Failure) {
        guard let changeCount else { return }
        let current = self.changeCount(of: name)
        guard current == changeCount else {
            throw Failure(
                .superseded,
                "pasteboard \(name) is at change count \(current), not \(changeCount); somebody changed it meanwhile"
            )
        }
    }

    private func changeCount(of name: String) -> UInt64 {
        self.boards[name]?.changeCount ?? self.firstChangeCount
    }

    /// A new name needs a place: an empty board makes room.
    mutating func checkRoom(forBoard name: String) throws(Failure) {
        guard self.boards[name] == nil, UInt64(self.boards.count) >= self.limits.boards else { return }
        self.forgetEmptyBoards(keeping: 0)
        guard UInt64(self.boards.count) >= self.limits.boards else { return }
        throw Failure(
            .limitExceeded,
            "limit boards=\(self.limits.boards) is reached: so many named pasteboards hold something; clear one, or raise it"
        )
    }

    /// The number of empty boards whose change counts are remembered, so that clearing one board does not make another
    /// look changed.
    private static let rememberedBoards = 64

    /// Forgets empty boards until at most `count` are left, and no more boards in all than there may be. Every unknown board
    /// has the first change count, which rises here so that none ever has a count again that it had before; the lowest goes
    /// first, because it raises the others least.
    private mutating func forgetEmptyBoards(keeping count: Int) {
        let empty = self.boards.filter { $0.value.publication == nil }
        let room = Int(clamping: self.limits.boards) - (self.boards.count - empty.count)
        let count = max(0, min(count, room))
        guard empty.count > count else { return }
        let lowest = empty.sorted { ($0.value.changeCount, $0.key) < ($1.value.changeCount, $1.key) }
            .prefix(empty.count - count)
        for (name, board) in lowest {
            self.firstChangeCount = max(self.firstChangeCount, board.changeCount)
            self.boards[name] = nil
        }
    }

    /// A board that holds nothing counts for nobody; one more that does is one more of its writer's. What replaces other
    /// contents takes nothing from anybody.
    func checkRoom(forContentsOf name: String, of account: Accounting.AccountID) throws(Failure) {
        guard self.boards[name]?.publication == nil, self.accounting.room(for: account, of: \.boards) == 0 else {
            return
        }
        throw Failure(
            .limitExceeded,
            "one program may not take all named pasteboards: of limit boards=\(self.limits.boards) an eighth is for others; "
                + "clear one, or raise the limit"
        )
    }

    /// Gives a board new contents, or none, and returns its new change count.
    mutating func change(_ name: String, to publication: PublicationID?, reason: EndReason) -> UInt64 {
        let replaced = self.boards[name]?.publication
        let changeCount = self.changeCount(of: name).addingClamped(1)
        self.boards[name] = Board(changeCount: changeCount, publication: publication)
        if let replaced { self.endPublication(replaced, reason: reason) }
        if publication == nil { self.forgetEmptyBoards(keeping: Self.rememberedBoards) }
        return changeCount
    }
}
