import PasteboardWire
import TypeIdentifiers

// Writes: begin, items with their kept bytes, commit. Nothing is visible before the commit, and whatever ends a
// write before it leaves what the board held.
extension BrokerState {
    mutating func beginWrite(_ write: Write, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(write.requires)
        let name = write.board ?? BoardName.general
        try BoardName.check(name)
        try self.checkCondition(write.ifChangeCount, board: name)
        try self.beginWrite(to: .board(name, ifChangeCount: write.ifChangeCount), stream: stream, from: peer)
    }

    mutating func beginWrite(to target: PendingWrite.Target, stream: UInt64, from peer: PeerID) throws(Failure) {
        guard let account = self.peers[peer]?.account else { return }
        let pending = PendingWrite(
            peer: peer,
            stream: stream,
            target: target,
            activeAt: self.now,
            charge: try self.accounting.charge(account, Accounting.Amount(objects: 1), for: "a write")
        )
        let id = self.writes.insert(pending)
        self.check(by: self.now.addingClamped(self.limits.progress))
        self.peers.update(peer) { $0.streams[stream] = .write(id) }
    }

    mutating func continueWrite(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard case .write(let id)? = self.peers[peer]?.streams[stream] else {
            return try self.checkIsLate(stream, of: peer)
        }
        do throws(Failure) {
            if kind == .item {
                guard payload.count <= WireLimits.itemLength else {
                    throw Failure(.limitExceeded, "an item of a write has at most \(WireLimits.itemLength) bytes")
                }
                try self.add(try Item(decoding: payload), metadata: UInt64(payload.count), to: id)
            } else {
                try self.commit(id, try Commit(decoding: payload))
            }
        } catch {
            self.refuse(id, error)
        }
    }

    /// `metadata` is what the item takes when it is listed.
    private mutating func add(_ item: Item, metadata: UInt64, to id: WriteID) throws(Failure) {
        guard var write = self.writes[id] else { return }
        try Feature.check(item.requires)
        try self.checkNothingAwaited(write)
        guard write.items.count < WireLimits.items else {
            throw Failure(.limitExceeded, "a write has at most \(WireLimits.items) items")
        }
        guard !item.representations.isEmpty else {
            throw Failure(.invalidArgument, "item \(write.items.count + 1) has no representation")
        }
        var types = Set<IdentifierKey>()
        for representation in item.representations {
            try Self.check(representation, of: item)
            guard types.insert(IdentifierKey(representation.type)).inserted else {
                throw Failure(.invalidArgument, "an item lists \(representation.type) twice")
            }
        }
        let reaches = item.representations.map { Conformance.Reach(of: $0.type, closure: $0.supertypes) }
        let metadata = reaches.reduce(metadata) { $0 + $1.byteCount }
        let total = write.metadata + metadata
        var (most, limit) = (self.limits.metadataPerSession, "metadata-per-session")
        if case .board = write.target {
            (most, limit) = (self.limits.metadataPerPublication, "metadata-per-publication")
        }
        guard total <= most else {
            throw Failure(.limitExceeded, "names and types of the write take \(total) bytes; limit \(limit) is \(most)")
        }
        try self.accounting.raise(
            &write.charge,
            by: Accounting.Amount(objects: 1 + UInt64(item.representations.count), metadata: metadata),
            for: "a write"
        )
        self.writes.update(id) { $0.charge = write.charge }
        // Stored first, filled after: what fails on the way is then discarded with the write.
        let index = write.items.count
        let name = item.suggestedName?.asSuggestedName
        let presentation = StoredItem.Presentation(item)
        self.writes.update(id) {
            $0.items.append(StoredItem(suggestedName: name, presentation: presentation, teamData: item.teamData))
            $0.items[index].representations.reserveCapacity(item.representations.count)
        }
        var awaited: [KeptID] = []
        for (representation, reach) in zip(item.representations, reaches) {
            var kept: KeptID?
            if representation.provision == .kept {
                let account = write.charge.account
                try self.checkRoomForKept(announced: representation.byteCount, for: account)
                kept = self.insertKept(
                    announced: representation.byteCount,
                    content: representation.content,
                    for: account
                )
            }
            let stored = StoredRepresentation(
                type: representation.type,
                supertypes: representation.supertypes,
                reach: reach,
                visibility: representation.visibility ?? .absent,
                isKeptOnce: representation.policy == .onceAndKept,
                isOpenInPlace: representation.fileOptions?.contains(.openInPlace) == true,
                firstByteMilliseconds: UInt32(
                    clamping: min(representation.firstByteMilliseconds ?? 0, self.limits.keepAlive)
                ),
                byteCount: kept == nil ? representation.byteCount : nil,
                file: representation.file.map(StoredRepresentation.File.init),
                kept: kept
            )
            self.writes.update(id) { $0.items[index].representations.append(stored) }
            if let kept { awaited.append(kept) }
        }
        self.writes.update(id) { [now = self.now] in
            $0.awaited = awaited[...]
            $0.activeAt = now
        }
    }

    private static func check(_ representation: Representation, of item: Item) throws(Failure) {
        guard TypeIdentifier.isWellFormed(representation.type),
            representation.supertypes.allSatisfy(TypeIdentifier.isWellFormed)
        else {
            throw Failure(
                .invalidArgument,
                "'\(representation.type.printable.prefix(utf8Count: WireLimits.name))' or a supertype of it is not a "
                    + "type identifier: letters, digits, '-', '.' and '_', at most \(WireLimits.typeIdentifier) bytes"
            )
        }
        guard representation.visibility?.isKnown ?? true,
            [.promised, .kept].contains(representation.provision ?? .absent)
        else {
            throw Failure(.invalidArgument, "\(representation.type) has an unknown visibility or provision")
        }
        guard representation.file?.isWellFormed ?? true else {
            throw Failure(
                .invalidArgument,
                "\(representation.type) has a file name that is not one component of a path: 1 to \(WireLimits.name) bytes "
                    + "without '/' and NUL, and neither '.' nor '..'"
            )
        }
        let content = representation.content ?? .absent
        guard content.isKnown, content == .plain || representation.provision == .kept else {
            throw Failure(
                .invalidArgument,
                "\(representation.type) has an unknown content value, or is promised and has one: its source must correct that"
            )
        }
        let policy = representation.policy ?? .absent
        guard policy.isKnown, policy == .askedEachTime || representation.provision ?? .absent == .promised else {
            throw Failure(.invalidArgument, "\(representation.type) has an unknown policy, or one though it is kept")
        }
        guard policy == .askedEachTime || item.requires.contains(Feature.onceAndKept.rawValue) else {
            throw Failure(
                .invalidArgument,
                "\(representation.type) is to be asked for once: its item has to require feature "
                    + "\(Feature.onceAndKept.rawValue)"
            )
        }
    }

    private func checkNothingAwaited(_ write: PendingWrite) throws(Failure) {
        guard write.awaited.isEmpty else {
            throw Failure(
                .invalidArgument,
                "\(write.awaited.count) kept representations of item \(write.items.count) have not been sent whole"
            )
        }
    }

    // MARK: Kept bytes

    func checkRoomForKept(announced: UInt64?, for account: Accounting.AccountID) throws(Failure) {
        // Each is a file of the broker's: without a bound one program could use up its descriptors.
        guard self.accounting.room(for: account, of: \.representations) > 0 else {
            throw Failure(
                .limitExceeded,
                "the broker keeps \(self.kept.count) representations, and one program may not take all; limit "
                    + "kept-representations is \(self.limits.keptRepresentations)"
            )
        }
        try self.checkPool(announced ?? 0, for: account)
    }

    /// A place for bytes that are to be kept, for which there is room.
    mutating func insertKept(
        announced: UInt64?,
        content: ContentForm? = nil,
        for account: Accounting.AccountID
    ) -> KeptID {
        self.accounting.keep(Accounting.Kept(representations: 1, bytes: announced ?? 0), for: account)
        return self.kept.insert(
            KeptBytes(account: account, announced: announced, charged: announced ?? 0, content: content)
        )
    }

    /// Makes kept bytes occupy room for `total` in the pool, if they do not yet.
    mutating func chargeKept(_ id: KeptID, for total: UInt64) throws(Failure) {
        guard let account = self.kept[id]?.account, let charged = self.kept[id]?.charged, total > charged else {
            return
        }
        try self.checkPool(total - charged, for: account)
        self.accounting.keep(Accounting.Kept(bytes: total - charged), for: account)
        self.kept.update(id) { $0.charged = total }
    }

    private func checkPool(_ more: UInt64, for account: Accounting.AccountID) throws(Failure) {
        let room = self.accounting.room(for: account, of: \.bytes)
        guard more <= room else {
            throw Failure(
                .noSpace,
                "\(more) bytes more do not fit: the broker keeps \(self.accounting.kept.bytes) of at most "
                    + "\(self.limits.keptPool) bytes, of the rest one program may take \(room); clear a pasteboard, or "
                    + "start the broker with --limit kept-pool=BYTES"
            )
        }
    }

    /// Data on a client's own stream: bytes of the next kept representation.
    mutating func takeKept(
        stream: UInt64,
        count: Int,
        last: Bool,
        from peer: PeerID
    ) throws(Failure) -> RelayVerdict {
        guard case .write(let id)? = self.peers[peer]?.streams[stream] else {
            try self.checkIsLate(stream, of: peer)
            return .drop
        }
        do throws(Failure) {
            return .keep(try self.countKept(UInt64(count), last: last, of: id))
        } catch {
            self.refuse(id, error)
            return .drop
        }
    }

    /// Charges bytes that came for the next kept representation of a write.
    mutating func countKept(_ count: UInt64, last: Bool, of id: WriteID) throws(Failure) -> KeptID {
        guard let current = self.writes[id]?.awaited.first, let kept = self.kept[current] else {
            throw Failure(.invalidArgument, "bytes came that belong to no kept representation")
        }
        let total = kept.count.addingClamped(count)
        if let announced = kept.announced, total > announced || (last && total < announced) {
            throw Failure(.invalidArgument, "\(announced) bytes were announced, \(total) came")
        }
        try self.chargeKept(current, for: total)
        self.kept.update(current) { $0.count = total }
        self.counters.keptBytes += count
        self.writes.update(id) { [now = self.now] in
            if last { $0.awaited.removeFirst() }
            if last || count > 0 { $0.activeAt = now }
        }
        return current
    }

    /// The memory of kept bytes could not be made or written.
    package mutating func keptWriteFailed(_ id: KeptID, reason: String) {
        let failure = Failure(.noSpace, "the broker cannot keep the bytes: \(reason)")
        if let fill = self.kept[id]?.fill { return self.fail(fill.route, failure, tellSource: true) }
        guard let write = self.writes.ids.first(where: { self.writes[$0]?.keptBytes.contains(id) == true }) else {
            return
        }
        self.refuse(write, failure)
    }

    mutating func release(_ kept: [KeptID]) {
        for id in kept {
            guard let bytes = self.kept.remove(id) else { continue }
            self.accounting.giveUp(Accounting.Kept(representations: 1, bytes: bytes.charged), for: bytes.account)
            self.outbox.perform(.closeKept(id))
        }
    }

    // MARK: Commit and its opposite

    private mutating func commit(_ id: WriteID, _ commit: Commit) throws(Failure) {
        guard let write = self.writes[id], let peer = self.peers[write.peer] else { return }
        try self.checkNothingAwaited(write)
        guard !write.items.isEmpty, commit.itemCount.map({ Int($0) == write.items.count }) ?? true else {
            throw Failure(
                .invalidArgument,
                "commit counts \(commit.itemCount ?? 0) items, \(write.items.count) came; a write has at least one"
            )
        }
        switch write.target {
        case .board(let name, let ifChangeCount):
            try self.commitBoard(name, ifChangeCount, id, write, of: peer)
        case .session(let drag):
            try self.sessions.checkRoom(for: peer.process, self.limits)
            self.writes.remove(id)
            self.commitSession(drag, write, of: peer)
        case .addition(let session):
            try self.commitAddition(to: session, id, write)
        }
    }

    private mutating func commitBoard(
        _ name: String,
        _ ifChangeCount: UInt64?,
        _ id: WriteID,
        _ write: PendingWrite,
        of peer: Peer
    ) throws(Failure) {
        try self.checkCondition(ifChangeCount, board: name)
        try self.checkRoom(forBoard: name)
        try self.checkRoom(forContentsOf: name, of: write.charge.account)
        self.writes.remove(id)
        let publication = self.publish(write, of: peer, board: name)
        self.peers.update(write.peer) { $0.streams[write.stream] = .publication(publication) }
        self.accounting.keep(Accounting.Kept(boards: 1), for: write.charge.account)
        self.counters.writes += 1
        let changeCount = self.change(name, to: publication, reason: .replaced)
        var committed = Committed()
        committed.changeCount = changeCount
        committed.epoch = self.epoch
        committed.handle = publication.rawValue
        self.outbox.send(committed, to: write.peer, stream: write.stream)
    }

    /// Makes a publication of what was written.
    mutating func publish(_ write: PendingWrite, of peer: Peer, board name: String) -> PublicationID {
        for kept in write.keptBytes { self.outbox.perform(.sealKept(kept)) }
        self.peers.update(write.peer) { $0.publications += 1 }
        return self.publications.insert(
            Publication(
                owner: (write.peer, write.stream),
                writer: peer.viewer,
                ownerLabel: peer.label,
                boardName: name,
                items: write.items,
                charge: write.charge
            )
        )
    }

    /// Ends a write with an error; its late frames are dropped.
    mutating func refuse(_ id: WriteID, _ failure: Failure) {
        guard let write = self.writes[id] else { return }
        self.outbox.send(failure, to: write.peer, stream: write.stream)
        self.discard(id)
    }

    mutating func discard(_ id: WriteID) {
        guard let write = self.writes.remove(id) else { return }
        self.peers.update(write.peer) { $0.streams[write.stream] = nil }
        self.accounting.release(write.charge)
        self.release(write.keptBytes)
    }

    // MARK: The life of a publication

    /// Its writer has gone or withdrawn: promises are gone with it, kept bytes stay.
    mutating func ownerLeft(_ id: PublicationID) {
        guard let owner = self.publications[id]?.owner else { return }
        self.peers.update(owner.peer) { $0.publications -= 1 }
        self.publications.update(id) { $0.owner = nil }
        if let publication = self.publications[id], publication.openLoads > 0 {
            let failure = Failure(.sourceGone, "source \(publication.ownerName) has withdrawn its contents")
            self.failAll(failure) { route in
                guard case .peer = route.source else { return false }
                return route.publication == id
            }
        }
        self.removeIfUnused(id)
    }

    /// A board holds it no longer: its writer hears why, once; loads that have begun go on.
    mutating func endPublication(_ id: PublicationID, reason: EndReason) {
        guard let publication = self.publications[id] else { return }
        self.publications.update(id) { $0.isCurrent = false }
        self.accounting.giveUp(Accounting.Kept(boards: 1), for: publication.charge.account)
        if let owner = publication.owner {
            var end = End()
            end.reason = reason
            self.outbox.send(end, to: owner.peer, stream: owner.stream)
            self.peers.update(owner.peer) { $0.streams[owner.stream] = nil }
        }
        self.removeIfUnused(id)
    }

    mutating func removeIfUnused(_ id: PublicationID) {
        guard self.publications[id]?.isCurrent == false, let publication = self.publications[id],
            publication.openLoads == 0
        else { return }
        self.publications.remove(id)
        if let owner = publication.owner { self.peers.update(owner.peer) { $0.publications -= 1 } }
        self.accounting.release(publication.charge)
        self.release(publication.keptBytes)
    }
}

extension String {
    /// As it is passed on: without what does something to a terminal, and of a bounded length.
    var asSuggestedName: String { self.printable.prefix(utf8Count: WireLimits.name) }
}
