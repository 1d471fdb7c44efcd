import PasteboardWire
import TypeIdentifiers

// Additions to contents of a board, by the connection that wrote them. Items and representations are only appended, so
// the indices that running loads have stay valid.
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
        guard case .contents(let id, _) = target, let slot = find(id) else { return false }
        return item < publicationTable[slot].items.count
    }

    /// Throws if contents cannot have the items of a write, too.
    func checkRoom(in slot: Slot, for id: WriteID, _ limits: BrokerLimits) throws(Failure) {
        guard let write = writeTable.find(id) else { return }
        let existing = publicationTable[slot].items.count
        let count = max(existing, writeTable[write].items.count)
        guard count <= WireLimits.items else {
            let text = "the contents would have \(count) items; at most \(WireLimits.items) are allowed"
            throw Failure(.limitExceeded, text)
        }
        // Contents outside the pools have the only representation that has room there.
        guard publicationTable[slot].charge.account == writeTable[write].charge.account else {
            throw Self.guaranteeExceeded
        }
        let metadata = publicationTable[slot].charge.amount.metadata + writeTable[write].metadata
        guard metadata <= limits.metadataPerPublication else {
            throw Failure(
                .limitExceeded,
                "names and types of the contents would take \(metadata) bytes; limit metadata-per-publication is "
                    + "\(limits.metadataPerPublication)"
            )
        }
        for (index, item) in writeTable[write].items.prefix(existing).enumerated() {
            let old = publicationTable[slot].items[index].representations
            let count = old.count + item.representations.count
            guard count <= WireLimits.representations else {
                throw Failure(
                    .limitExceeded,
                    "item \(index + 1) would have \(count) representations; at most \(WireLimits.representations) are allowed"
                )
            }
            let types = Set(old.map { IdentifierKey($0.type) })
            for added in item.representations where types.contains(IdentifierKey(added.type)) {
                throw Failure(.invalidArgument, "item \(index + 1) has \(added.type) already")
            }
        }
    }

    /// Adds the items of a write to contents of a board.
    mutating func add(_ id: WriteID, to slot: Slot, _ context: inout BrokerContext) {
        guard let write = writeTable.remove(id) else { return }
        seal(write.keptBytes, &context)
        hasNewContents = true
        let keepsBytes = write.keepsBytes
        publicationTable[slot].add(write.items, charge: write.charge)
        if keepsBytes, isConcealed(slot), publicationTable[slot].terms?.expiresAt == nil {
            publicationTable[slot].terms?.keepsBytes(at: context.elapsed)
            noteExpiry(of: slot, &context)
        }
    }
}
