import PasteboardWire
import TypeIdentifiers

// Writes: begin, items with their kept bytes, commit. Nothing is visible before the commit, and a write that ends
// before it leaves the board as it was.
extension ContentStore {
    mutating func beginWrite(
        to target: PendingWrite.Target,
        terms: ContentTerms? = nil,
        isConcealed: Bool = false,
        evictsNothing: Bool = false,
        stream: UInt64,
        by peer: PeerID,
        _ account: Accounting.AccountID,
        _ context: inout BrokerContext
    ) throws(Failure) -> WriteID {
        let charge = try context.charge(account, for: "a write")
        context.check(in: context.limits.progress)
        if isConcealed { context.perform(.conceal(peer)) }
        return writeTable.insert(
            PendingWrite(
                peer: peer,
                stream: stream,
                target: target,
                terms: terms,
                isConcealed: isConcealed,
                evictsNothing: evictsNothing,
                activeAt: context.now,
                charge: charge
            )
        )
    }

    var writes: [WriteID] { writeTable.ids }

    func target(of id: WriteID) -> PendingWrite.Target? {
        guard let slot = writeTable.find(id) else { return nil }
        return writeTable[slot].target
    }

    func evictsNothing(_ id: WriteID) -> Bool {
        guard let slot = writeTable.find(id) else { return false }
        return writeTable[slot].evictsNothing
    }

    /// The account of the writer.
    func account(of id: WriteID) -> Accounting.AccountID? {
        guard let slot = writeTable.find(id) else { return nil }
        return writeTable[slot].charge.account
    }

    /// The number of bytes of names and types in a write.
    func metadata(of id: WriteID) -> UInt64 {
        guard let slot = writeTable.find(id) else { return 0 }
        return writeTable[slot].metadata
    }

    func itemCount(of id: WriteID) -> Int {
        guard let slot = writeTable.find(id) else { return 0 }
        return writeTable[slot].items.count
    }

    /// Adds an item.
    ///
    /// - Parameter metadata: the size of the item's message.
    mutating func add(_ item: Item, metadata: UInt64, to id: WriteID, _ context: inout BrokerContext) throws(Failure) {
        guard let slot = writeTable.find(id) else { return }
        try Feature.check(item.requires)
        let mayBeEmpty = isExisting(writeTable[slot].items.count, for: writeTable[slot].target)
        try item.check(at: writeTable[slot].items.count, mayBeEmpty: mayBeEmpty)
        context.cost += item.representations.reduce(Cost.entry) { $0 + (1 + $1.supertypes.count) * Cost.name }
        let types = Conformance.TypeIndex(item.representations)
        let metadata = metadata + types.byteCount
        context.cost += Int(clamping: types.byteCount) / Cost.metadata
        let total = writeTable[slot].metadata + metadata
        var (most, limit) = (context.limits.metadataPerSession, "metadata-per-session")
        switch writeTable[slot].target {
        case .board, .contents: (most, limit) = (context.limits.metadataPerPublication, "metadata-per-publication")
        case .session, .addition: break
        }
        guard total <= most else {
            throw Failure(.limitExceeded, "names and types of the write take \(total) bytes; limit \(limit) is \(most)")
        }
        let amount = Accounting.Amount(objects: 1 + UInt64(item.representations.count), metadata: metadata)
        try context.accounting.raise(&writeTable[slot].charge, by: amount, for: "a write")
        // The item is stored before its kept bytes are reserved, so that they are released with the write if an error
        // follows.
        let index = writeTable[slot].items.count
        writeTable[slot].items.append(
            StoredItem(
                suggestedName: item.suggestedName?.asSuggestedName,
                presentation: StoredItem.Presentation(item),
                teamData: item.teamData,
                types: types
            )
        )
        if case .contents = writeTable[slot].target { writeTable[slot].itemMetadata.append(metadata) }
        writeTable[slot].items[index].representations.reserveCapacity(item.representations.count)
        var awaited: [KeptID] = []
        for representation in item.representations {
            var kept: KeptID?
            if representation.provision == .kept {
                let account = writeTable[slot].charge.account
                try checkRoomForKept(
                    announced: representation.byteCount,
                    isConcealed: writeTable[slot].isConcealed,
                    for: account,
                    context
                )
                kept = insertKept(
                    announced: representation.byteCount,
                    content: representation.content,
                    isConcealed: writeTable[slot].isConcealed,
                    for: account,
                    &context
                )
            }
            let stored = StoredRepresentation(representation, kept: kept, keepAlive: context.limits.keepAlive)
            writeTable[slot].items[index].representations.append(stored)
            if let kept { awaited.append(kept) }
        }
        writeTable[slot].awaited = awaited[...]
        writeTable[slot].activeAt = context.now
    }

    /// Throws if bytes of the newest item are missing, so that neither an item nor a commit may follow.
    func checkNothingAwaited(by id: WriteID) throws(Failure) {
        guard let slot = writeTable.find(id) else { return }
        try writeTable[slot].checkNothingAwaited()
    }

    // MARK: Kept bytes of a write

    private static var nothingAwaited: Failure {
        Failure(.protocolViolation, "received bytes that belong to no kept representation")
    }

    /// Counts and charges bytes of the next kept representation.
    mutating func receive(
        _ count: UInt64,
        last: Bool,
        for id: WriteID,
        _ context: inout BrokerContext
    ) throws(Failure) -> KeptID {
        guard let slot = writeTable.find(id), let current = writeTable[slot].awaited.first,
            let kept = keptTable.find(current)
        else { throw Self.nothingAwaited }
        let total = keptTable[kept].count.addingClamped(count)
        if let announced = keptTable[kept].announced, total > announced || (last && total < announced) {
            throw Failure(.invalidArgument, "received \(total) bytes, but \(announced) were announced")
        }
        try chargeKept(current, for: total, &context)
        keptTable[kept].count = total
        if !keptTable[kept].isConcealed { context.counters.keptBytes += count }
        if last { writeTable[slot].awaited.removeFirst() }
        // An empty frame counts, too: it shows that a source whose bytes take long continues.
        writeTable[slot].activeAt = context.now
        return current
    }

    /// Receives a descriptor for all bytes of the next kept representation.
    mutating func receive(
        _ descriptor: ReceivedDescriptor,
        for id: WriteID,
        _ context: inout BrokerContext
    ) throws(Failure) {
        guard let slot = writeTable.find(id), !writeTable[slot].awaited.isEmpty else { throw Self.nothingAwaited }
        guard !writeTable[slot].isConcealed else {
            let text = "the writer could still read sensitive bytes in a file that it passes; send them in data frames"
            throw Failure(.invalidArgument, text)
        }
        let byteCount: UInt64
        let text =
            "a descriptor of kept bytes must be a memory file with all four seals, or a file in the kept directory, "
            + "complete and open for reading only"
        switch descriptor {
        case .sealedMemory(let count), .keptFile(let count): byteCount = count
        case .readOnlyFile: throw Failure(.invalidArgument, text)
        case .unusable(let what): throw Failure(.invalidArgument, "\(text); received \(what)")
        }
        let kept = try receive(byteCount, last: true, for: id, &context)
        guard let slot = keptTable.find(kept), keptTable[slot].count == byteCount else {
            throw Failure(.invalidArgument, "a descriptor replaces all bytes and cannot follow data frames")
        }
        context.perform(.adoptKept(kept))
    }

    // MARK: Ends

    /// Throws unless the write has the items that the commit counts.
    func check(_ commit: Commit, of id: WriteID) throws(Failure) {
        guard let slot = writeTable.find(id) else { return }
        let count = writeTable[slot].items.count
        guard count > 0, commit.itemCount.map({ Int($0) == count }) ?? true else {
            throw Failure(
                .invalidArgument,
                "commit counts \(commit.itemCount ?? 0) items, but \(count) were received; a write needs at least one"
            )
        }
    }

    /// Discards a write with everything that it has sent.
    ///
    /// - Returns: the writer's stream, which is over.
    mutating func discard(_ id: WriteID, _ context: inout BrokerContext) -> (peer: PeerID, stream: UInt64)? {
        guard let write = writeTable.remove(id) else { return nil }
        context.release(write.charge)
        releaseKept(write.keptBytes, &context)
        return (write.peer, write.stream)
    }

    /// The first write after `cursor` that has made no progress in time. The caller ends it and calls again.
    func nextLate(
        after cursor: inout SlotTable<PendingWrite>.Slot?,
        _ context: inout BrokerContext
    ) -> (write: WriteID, failure: Failure)? {
        while let slot = writeTable.advance(&cursor) {
            let deadline = writeTable[slot].activeAt.addingClamped(context.limits.progress)
            guard deadline <= context.now else {
                context.check(by: deadline)
                continue
            }
            let text = "nothing of the write was received for \(context.limits.progress) ms"
            return (writeTable.id(of: slot), Failure(.timeout, text))
        }
        return nil
    }
}
