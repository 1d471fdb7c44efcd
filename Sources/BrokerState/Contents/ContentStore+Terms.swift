import PasteboardWire

// The terms of contents: who sees them, who may load them, and when they end.
extension ContentStore {
    /// Contents as far as they exist for a peer: links see no local contents, and concealed ones only if their users
    /// want that. A peer may still see no item of contents that exist for it.
    func visible(_ id: PublicationID, to access: AccessContext) -> Slot? {
        guard let slot = find(id), publicationTable[slot].terms?.isHidden(from: access) != true else { return nil }
        return slot
    }

    func seeingLinks(of id: PublicationID) -> SeeingLinks {
        find(id).map { publicationTable[$0].terms?.seeingLinks ?? .all } ?? .none
    }

    func isConcealed(_ slot: Slot) -> Bool {
        publicationTable[slot].terms?.isConcealed == true
    }

    /// Throws if the terms of contents do not permit a load.
    func checkTerms(of slot: Slot, for load: Load) throws(Failure) {
        guard load.isAutomatic == true, let terms = publicationTable[slot].terms else { return }
        guard !terms.isConcealed else {
            throw Failure(.concealed, "the contents are sensitive; only a person may ask for them")
        }
        guard terms.maximumLoads == nil else {
            let text = "the contents can be loaded a limited number of times; only a person may ask for them"
            throw Failure(.notPermitted, text)
        }
    }

    // MARK: Number of loads

    /// Throws if the terms of contents permit no further load of an item now.
    mutating func checkLoadsLeft(of item: Int, in slot: Slot) throws(Failure) {
        guard let terms = publicationTable[slot].terms, let maximum = terms.maximumLoads else { return }
        let (left, running) = terms.loads(of: item)
        guard left == 0 else { return }
        guard running == 0 else {
            publicationTable[slot].terms?.refuseLoad(of: item)
            throw Failure(.notLoadableNow, "the last permitted load of the item runs; a watch reports if it fails")
        }
        throw Failure(.nothingHere, "the item could be loaded \(maximum == 1 ? "once" : "\(maximum) times"), and was")
    }

    mutating func beginCounted(_ part: PublicationPart, of id: PublicationID) {
        guard let slot = find(id) else { return }
        publicationTable[slot].terms?.beginLoad(of: Int(part.item))
    }

    /// Ends a load that counts. If it gives back a turn for which others were refused, the version grows.
    ///
    /// - Returns: the board that has changed, and whether to clear it, because this was the last load of its contents.
    mutating func endCounted(_ part: PublicationPart, of id: PublicationID, isUsed: Bool) -> (String, isUsedUp: Bool)? {
        guard let slot = find(id) else { return nil }
        let isFree = publicationTable[slot].terms?.endLoad(of: Int(part.item), isUsed: isUsed) == true
        let count = publicationTable[slot].items.count
        let isUsedUp = publicationTable[slot].terms?.isUsedUp(itemCount: count) == true
        guard publicationTable[slot].isCurrent, isUsedUp || isFree else { return nil }
        publicationTable[slot].version += 1
        return (publicationTable[slot].boardName, isUsedUp)
    }

    /// The terms of contents as a peer is shown them.
    func termsMessage(of slot: Slot, _ context: borrowing BrokerContext) -> ContentTerms? {
        let count = publicationTable[slot].items.count
        return publicationTable[slot].terms?.message(at: context.elapsed, itemCount: count)
    }

    // MARK: Expiry

    /// Makes sure that new contents end when their time is over.
    mutating func scheduleExpiry(of slot: Slot, _ context: inout BrokerContext) {
        guard let expiresAt = publicationTable[slot].terms?.expiresAt else { return }
        expiring.append(publicationTable.id(of: slot))
        context.expire(by: expiresAt)
    }

    /// The publications whose time is over, in the order in which it ended.
    mutating func expired(_ context: inout BrokerContext) -> [PublicationID] {
        var due: [(at: UInt64, id: PublicationID)] = []
        context.nextExpiry = .max
        for id in expiring {
            guard let slot = find(id), let expiresAt = publicationTable[slot].terms?.expiresAt else { continue }
            if expiresAt <= context.elapsed { due.append((expiresAt, id)) } else { context.expire(by: expiresAt) }
        }
        return due.sorted { ($0.at, $0.id.rawValue) < ($1.at, $1.id.rawValue) }.map(\.id)
    }
}
