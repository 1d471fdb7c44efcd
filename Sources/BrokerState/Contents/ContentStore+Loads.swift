import PasteboardWire

// The contents of running loads: their names, their sizes, and the bytes that are kept for them.
extension ContentStore {
    /// The drag session that holds a publication.
    func session(of id: PublicationID) -> SessionID? {
        guard let slot = find(id) else { return nil }
        return publicationTable[slot].session
    }

    /// The name of a publication's writer, for messages.
    func ownerName(of id: PublicationID) -> String {
        guard let slot = find(id) else { return "" }
        return publicationTable[slot].ownerName
    }

    func kept(_ id: KeptID) -> KeptBytes? {
        guard let slot = keptTable.find(id) else { return nil }
        return keptTable[slot]
    }

    /// Adds the known properties of kept bytes to an answer.
    @inline(__always)
    func complete(_ answer: inout AnswerNumbers, _ suggestedName: inout String?, of id: KeptID) {
        guard let slot = keptTable.find(id) else { return }
        answer.byteCount = keptTable[slot].size
        answer.content = keptTable[slot].content
        if suggestedName == nil { suggestedName = keptTable[slot].fileName }
    }

    // MARK: Cached loads

    /// Reserves a place for the bytes of a representation that is to be kept. They are charged to the writer,
    /// regardless of who loads them.
    mutating func beginCache(_ part: PublicationPart, of id: PublicationID, _ context: inout BrokerContext) -> KeptID {
        guard let slot = find(id) else { return KeptID(rawValue: 0) }
        let announced = publicationTable[slot].representation(part).byteCount
        let account = publicationTable[slot].charge.account
        let kept = insertKept(announced: announced, isConcealed: isConcealed(slot), for: account, &context)
        if let slot = keptTable.find(kept) { keptTable[slot].isWhole = false }
        publicationTable[slot].update(part) { $0.cached = kept }
        return kept
    }

    /// Handles the source's answer: the form, the name and the size of the bytes. Throws if there is no room for them.
    mutating func announce(_ answer: Answer, for id: KeptID, _ context: inout BrokerContext) throws(Failure) {
        guard let slot = keptTable.find(id) else { return }
        keptTable[slot].isAnnounced = true
        keptTable[slot].content = answer.content ?? keptTable[slot].content
        keptTable[slot].fileName = answer.suggestedName?.asSuggestedName ?? keptTable[slot].fileName
        guard let byteCount = answer.byteCount else { return }
        try chargeKept(id, for: byteCount, &context)
        keptTable[slot].announced = byteCount
    }

    /// The driver has stored bytes.
    mutating func stored(_ count: UInt64, in id: KeptID) {
        guard let slot = keptTable.find(id) else { return }
        keptTable[slot].count += count
    }

    /// Ends a cached load: if the bytes are complete, the representation is kept from now on; otherwise it is a promise
    /// again. If the source has handed over bytes meanwhile, later loads get those, and the complete ones stay for the
    /// loads that read them.
    mutating func endCache(
        _ id: KeptID,
        _ part: PublicationPart,
        of publication: PublicationID,
        isWhole: Bool,
        _ context: inout BrokerContext
    ) {
        if let slot = find(publication) {
            publicationTable[slot].update(part) {
                if isWhole, $0.kept != nil { return }
                $0.cached = nil
                if isWhole { $0.kept = id }
            }
        }
        guard isWhole, let slot = keptTable.find(id) else { return }
        hasNewContents = true
        let (count, charged) = (keptTable[slot].count, keptTable[slot].charged)
        keptTable[slot].isWhole = true
        keptTable[slot].charged = count
        let excess = charged - min(charged, count)
        context.accounting.release(excess, of: .keptBytes, for: keptTable[slot].account)
        seal([id], &context)
        save(publication, &context)
    }
}
