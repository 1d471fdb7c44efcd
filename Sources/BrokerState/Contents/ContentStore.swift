import PasteboardWire

/// Publications, the writes that become publications, and the bytes that the broker keeps for both.
///
/// A publication is *current* while a board or a drag session holds it. Loads hold it too. It is removed when nothing
/// holds it. The names of boards, drag sessions and credit belong to other parts.
struct ContentStore: ~Copyable, Sendable {
    typealias Slot = SlotTable<Publication>.Slot

    var publicationTable: SlotTable<Publication>
    var writeTable = SlotTable<PendingWrite>()
    var keptTable = SlotTable<KeptBytes>()
    /// The contents of boards that expire.
    var expiring: [PublicationID] = []
    /// Whether contents have become complete that may need the room of others: see `BrokerState.makeRoom`.
    var hasNewContents = false

    init(epoch: UInt64 = 0) {
        // A handle of an earlier lifetime of the broker must not name contents of this one.
        publicationTable = SlotTable(firstGeneration: UInt32(truncatingIfNeeded: epoch ^ epoch >> 32))
    }

    @inline(__always)
    func find(_ id: PublicationID) -> Slot? { publicationTable.find(id) }

    subscript(_ slot: Slot) -> Publication {
        @inline(__always) _read { yield publicationTable[slot] }
    }

    var publicationCount: Int { publicationTable.count }
    var writeCount: Int { writeTable.count }
    var keptCount: Int { keptTable.count }

    // MARK: Publications

    /// Creates a publication from a committed write.
    mutating func publish(
        _ id: WriteID,
        by writer: AccessContext,
        label: String,
        board name: String = "",
        _ context: inout BrokerContext
    ) -> PublicationID? {
        guard var write = writeTable.remove(id) else { return nil }
        seal(write.keptBytes, &context)
        hasNewContents = true
        var terms = PublicationTerms(write.terms, at: context.elapsed)
        if write.keepsBytes { terms?.keepsBytes(at: context.elapsed) }
        let publication = insert(
            Publication(
                owner: (write.peer, write.stream),
                writer: writer,
                ownerLabel: label,
                boardName: name,
                // Moved, so that they are not copied when the publication changes them.
                items: exchange(&write.items, with: []),
                charge: write.charge,
                terms: terms,
                committedAt: context.now
            )
        )
        if let slot = find(publication) { scheduleExpiry(of: slot, &context) }
        if !name.isEmpty { save(publication, &context) }
        return publication
    }

    /// Inserts a publication, whose handle is known from then on.
    mutating func insert(_ publication: consuming Publication) -> PublicationID {
        let id = publicationTable.insert(publication)
        if let slot = find(id) { publicationTable[slot].handle = EncodedHandle(id.rawValue) }
        return id
    }

    /// Adds the items of a committed write to a publication.
    mutating func append(_ id: WriteID, to publication: PublicationID, _ context: inout BrokerContext) {
        guard let slot = find(publication), let write = writeTable.remove(id) else { return }
        seal(write.keptBytes, &context)
        hasNewContents = true
        publicationTable[slot].append(write.items, charge: write.charge)
    }

    /// Sets the drag session that holds a publication. After nil, no session is notified of its loads.
    mutating func setSession(_ session: SessionID?, of id: PublicationID) {
        guard let slot = find(id) else { return }
        publicationTable[slot].session = session
    }

    /// The writer has disconnected or has withdrawn the publication: promises end, kept bytes stay.
    ///
    /// - Returns: whether there was a writer. Then the caller ends the loads of promises.
    mutating func ownerLeft(_ id: PublicationID, _ context: inout BrokerContext) -> Bool {
        guard let slot = find(id), publicationTable[slot].owner != nil else { return false }
        publicationTable[slot].owner = nil
        orphan(slot, &context)
        return true
    }

    /// Counts the loss of a publication's promises. False if it had none.
    mutating func losePromises(of slot: Slot) -> Bool {
        guard publicationTable[slot].hasPromises else { return false }
        publicationTable[slot].version += 1
        return true
    }

    /// Throws unless a process may write contents again in place of those that it has written before.
    func checkReclaim(of id: PublicationID, by process: ProcessKey) throws(Failure) {
        guard let slot = find(id), publicationTable[slot].owner == nil, publicationTable[slot].ownerProcess == process
        else {
            throw Failure(.superseded, "the contents belong to another process, or to a connection that has not ended")
        }
    }

    /// Gives contents the next version of those whose place and change count they take, so that watches report them.
    mutating func continueVersion(of id: PublicationID, after old: PublicationID) {
        guard let slot = find(id) else { return }
        publicationTable[slot].version = version(of: old) + 1
    }

    /// Counts the loads of a publication from now on as those of contents that may outlive their writer's connection.
    private mutating func orphan(_ slot: Slot, _ context: inout BrokerContext) {
        guard !publicationTable[slot].isOrphan else { return }
        publicationTable[slot].isOrphan = true
        let account = publicationTable[slot].charge.account
        context.accounting.addOrphanLoads(publicationTable[slot].openLoads, of: account)
    }

    /// A board no longer holds a publication. Its writer is notified; loads that have begun continue.
    ///
    /// - Parameter isCharged: whether the contents are charged as a board.
    /// - Returns: the writer's stream, which is over.
    mutating func leaveBoard(
        _ id: PublicationID,
        isCharged: Bool,
        reason: EndReason,
        _ context: inout BrokerContext
    ) -> (peer: PeerID, stream: UInt64)? {
        guard let slot = find(id) else { return nil }
        if isCharged {
            context.accounting.release(of: .boards, for: publicationTable[slot].charge.account)
        }
        if publicationTable[slot].terms?.expiresAt != nil { expiring.removeAll { $0 == id } }
        let owner = publicationTable[slot].owner
        if let owner {
            var end = End()
            end.reason = reason
            context.send(end, to: owner.peer, stream: owner.stream)
        }
        retire(id, &context)
        return owner
    }

    /// A publication is no longer held by a board or a drag session.
    mutating func retire(_ id: PublicationID, _ context: inout BrokerContext) {
        guard let slot = find(id) else { return }
        publicationTable[slot].session = nil
        publicationTable[slot].isCurrent = false
        orphan(slot, &context)
        removeIfUnused(slot, &context)
    }

    /// Lets a load hold the publication, which exists until the load releases it.
    @inline(__always)
    mutating func hold(_ id: PublicationID, _ context: inout BrokerContext) {
        if let slot = find(id) { hold(slot, &context) }
    }

    @inline(__always)
    private mutating func hold(_ slot: Slot, _ context: inout BrokerContext) {
        publicationTable[slot].openLoads += 1
        guard publicationTable[slot].isOrphan else { return }
        context.accounting.addOrphanLoads(1, of: publicationTable[slot].charge.account)
    }

    /// A load that held the publication has ended.
    @inline(__always)
    mutating func release(_ slot: Slot, _ context: inout BrokerContext) {
        publicationTable[slot].openLoads -= 1
        if publicationTable[slot].isOrphan {
            context.accounting.removeOrphanLoad(of: publicationTable[slot].charge.account)
        }
        removeIfUnused(slot, &context)
    }

    mutating func removeIfUnused(_ id: PublicationID, _ context: inout BrokerContext) {
        if let slot = find(id) { removeIfUnused(slot, &context) }
    }

    @inline(__always)
    private mutating func removeIfUnused(_ slot: Slot, _ context: inout BrokerContext) {
        guard !publicationTable[slot].isCurrent, publicationTable[slot].openLoads == 0 else { return }
        let publication = publicationTable.remove(slot)
        context.release(publication.charge)
        releaseKept(publication.keptBytes, &context)
    }
}
