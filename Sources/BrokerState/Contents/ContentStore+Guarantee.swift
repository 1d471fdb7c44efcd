import PasteboardWire

// The general board always has room for one item with one small representation, so that a small `copy` works however
// full the pools are. Such contents are charged to an account outside the pools. It pays for one write and one
// publication at a time: a newer write displaces a pending one, and the loads of replaced contents end when others take
// their place.
extension ContentStore {
    /// Whether a write has, or would have with `item`, no more than is always possible.
    func isGuaranteed(_ slot: SlotTable<PendingWrite>.Slot, adding item: Item? = nil) -> Bool {
        guard case .board(BoardName.general, _, _, _) = writeTable[slot].target else { return false }
        if let item {
            guard writeTable[slot].items.isEmpty, item.representations.count == 1 else { return false }
            return item.representations.allSatisfy { representation in
                representation.provision == .kept
                    ? representation.byteCount ?? 0 <= WireLimits.guaranteedLength
                    : representation.policy != .onceAndKept
            }
        }
        return writeTable[slot].items.count == 1 && writeTable[slot].items[0].representations.count == 1
    }

    /// Charges a write to the account outside the pools.
    mutating func guarantee(_ slot: SlotTable<PendingWrite>.Slot, _ context: inout BrokerContext) {
        let account = context.accounting.openOutside()
        for id in writeTable[slot].keptBytes {
            guard let kept = keptTable.find(id) else { continue }
            context.accounting.release(keptTable[kept].charged, of: .keptBytes, for: keptTable[kept].account)
            context.accounting.release(of: .keptRepresentations, for: keptTable[kept].account)
            context.accounting.acquire(of: .keptRepresentations, for: account)
            context.accounting.acquire(keptTable[kept].charged, of: .keptBytes, for: account)
            keptTable[kept].account = account
        }
        context.accounting.move(&writeTable[slot].charge, to: account)
        let id = writeTable.id(of: slot)
        if let guaranteedWrite, guaranteedWrite != id, writeTable.holds(guaranteedWrite) {
            displacedWrite = guaranteedWrite
        }
        guaranteedWrite = id
    }

    /// The pending write that has lost its place to a newer one. The caller refuses it.
    mutating func takeDisplacedWrite() -> (write: WriteID, failure: Failure)? {
        guard let write = displacedWrite else { return nil }
        displacedWrite = nil
        let text =
            "the broker has no room, and another program has written to pasteboard \(BoardName.general); try again"
        return (write, Failure(.limitExceeded, text))
    }

    /// The publication that has lost its place outside the pools to a newer one. The caller ends its loads, which alone
    /// still hold it.
    mutating func takeDisplaced(by new: PublicationID, _ context: borrowing BrokerContext) -> PublicationID? {
        guard let slot = find(new), context.accounting.isOutside(publicationTable[slot].charge.account) else {
            return nil
        }
        let old = guaranteedPublication
        guaranteedPublication = new
        return old.flatMap { find($0) == nil ? nil : $0 }
    }

    static var guaranteeExceeded: Failure {
        Failure(
            .limitExceeded,
            "the broker has no room; now pasteboard \(BoardName.general) takes one item with one representation of at most "
                + "\(WireLimits.guaranteedLength) bytes; clear a pasteboard"
        )
    }
}
