import PasteboardWire

// Additions to contents of a board, by the connection that wrote them. Items and representations are only appended, and
// bytes that are handed over take the place of a promise, so the indices that running loads have stay valid.
extension ContentStore {
    /// Throws unless a handle names contents that a connection has written, and that are on a board.
    func checkAddition(to handle: UInt64, by peer: PeerID) throws(Failure) -> Slot {
        guard let slot = find(PublicationID(rawValue: handle)), publicationTable[slot].isCurrent,
            publicationTable[slot].session == nil, publicationTable[slot].owner?.peer == peer
        else {
            throw Failure(
                .superseded,
                "the contents to add to are not on a pasteboard any more, or another connection wrote them; write them anew"
            )
        }
        return slot
    }

    /// Whether an item of an addition belongs to an existing one. It may be without representations then.
    func isExisting(_ item: Int, for target: PendingWrite.Target) -> Bool {
        guard case .contents(let id, _, _) = target, let slot = find(id) else { return false }
        return item < publicationTable[slot].items.count
    }

    /// The effect of a write on contents. Throws if they cannot have its items, too.
    func addition(
        of id: WriteID,
        to slot: Slot,
        keepsPromises: Bool,
        _ limits: BrokerLimits
    ) throws(Failure) -> Addition? {
        guard let write = writeTable.find(id) else { return nil }
        let count = max(publicationTable[slot].items.count, writeTable[write].items.count)
        guard count <= WireLimits.items else {
            let text = "the contents would have \(count) items; at most \(WireLimits.items) are allowed"
            throw Failure(.limitExceeded, text)
        }
        let addition = try Addition(
            writeTable[write].items,
            metadata: writeTable[write].itemMetadata,
            to: publicationTable[slot].items,
            keepsPromises: keepsPromises
        )
        let added = writeTable[write].metadata - min(writeTable[write].metadata, addition.surplus.metadata)
        let metadata = publicationTable[slot].charge.amount.metadata + added
        guard metadata <= limits.metadataPerPublication else {
            throw Failure(
                .limitExceeded,
                "names and types of the contents would take \(metadata) bytes; limit metadata-per-publication is "
                    + "\(limits.metadataPerPublication)"
            )
        }
        return addition
    }

    /// Adds a write to contents of a board.
    mutating func add(_ id: WriteID, _ addition: Addition, to slot: Slot, _ context: inout BrokerContext) {
        guard let write = writeTable.remove(id) else { return }
        releaseKept(addition.discarded, &context)
        seal(write.keptBytes, &context)
        hasNewContents = true
        let keepsBytes = write.keepsBytes
        var charge = write.charge
        context.accounting.lower(&charge, by: addition.surplus)
        publicationTable[slot].add(addition, charge: charge)
        if keepsBytes, isConcealed(slot), publicationTable[slot].terms?.expiresAt == nil {
            publicationTable[slot].terms?.keepsBytes(at: context.elapsed)
            scheduleExpiry(of: slot, &context)
        }
        save(publicationTable.id(of: slot), &context)
    }
}
