import PasteboardWire
import TypeIdentifiers

// Contents with kept bytes are saved outside of the broker, so that its successor can restore them after a crash or an
// upgrade. The driver saves them; here is what is saved, and how contents are made of it again.
extension ContentStore {
    /// The sort of contents, which decides whether they survive, unless they are on a board that a client has created.
    func sort(of id: PublicationID) -> SavingRules.Sort {
        guard let slot = find(id), publicationTable[slot].isCurrent, publicationTable[slot].session == nil,
            !publicationTable[slot].writer.isLink
        else { return .temporary }
        if isConcealed(slot) { return .secret }
        if publicationTable[slot].terms?.maximumLoads != nil { return .counted }
        guard hasKeptBytes(slot) else { return .promised }
        return publicationTable[slot].terms?.isTransient == true ? .transient : .kept
    }

    func hasKeptBytes(_ slot: Slot) -> Bool {
        publicationTable[slot].items.contains { $0.representations.contains { $0.kept != nil } }
    }

    /// Lets the driver save new contents, or those that have got more kept bytes.
    mutating func save(_ id: PublicationID, _ context: inout BrokerContext) {
        guard context.saving == .working, SavingRules.isSaved(sort(of: id)) else { return }
        context.perform(.save(id))
    }

    /// Describes contents for a successor, without their count and the names of their kept bytes.
    ///
    /// - Parameter bootTime: the milliseconds since the machine started, including suspensions.
    func saved(
        _ slot: Slot,
        at bootTime: UInt64,
        _ context: borrowing BrokerContext
    ) -> (contents: SavedContents, kept: [KeptID]) {
        var saved = SavedContents()
        saved.format = SavedContents.format
        saved.board = publicationTable[slot].boardName
        saved.version = publicationTable[slot].version
        saved.ownerLabel = publicationTable[slot].ownerLabel
        saved.ownerProcess = publicationTable[slot].ownerProcess.pid
        saved.ownerIdentity = publicationTable[slot].ownerProcess.identity
        saved.ownerGroups = publicationTable[slot].writer.groups
        saved.terms = termsMessage(of: slot, context)
        saved.expiresAt = saved.terms?.expiresMilliseconds.map { bootTime.addingClamped($0) }
        saved.terms?.expiresMilliseconds = nil
        saved.committedAt = bootTime - min(bootTime, age(of: slot, context))
        saved.items = publicationTable[slot].items.map { savedItem($0) }
        let kept = publicationTable[slot].items.flatMap { $0.representations.compactMap(\.kept) }
        return (saved, kept)
    }

    private func savedItem(_ item: StoredItem) -> Item {
        var message = describe(item, item.representations, hasSource: true)
        for (index, representation) in item.representations.enumerated() {
            guard representation.kept == nil else {
                message.representations[index].policy = nil
                // A source may have answered with a form that this broker does not know.
                if message.representations[index].content?.isKnown == false {
                    message.representations[index].content = nil
                }
                continue
            }
            if representation.firstByteMilliseconds > 0 {
                message.representations[index].firstByteMilliseconds = UInt64(representation.firstByteMilliseconds)
            }
            if representation.isKeptOnce { message.requires = [Feature.onceAndKept.rawValue] }
        }
        return message
    }

    // MARK: Restoring

    /// Creates contents that an earlier broker saved. Their writer is not connected.
    ///
    /// They were admitted once, so no limit of the broker is checked. If they exceed one, new contents of others
    /// displace them.
    ///
    /// - Returns: the contents, and their kept bytes in the order of the representations.
    mutating func restore(
        _ saved: SavedContents,
        at bootTime: UInt64,
        _ context: inout BrokerContext
    ) throws(Failure) -> (publication: PublicationID, kept: [KeptID]) {
        var terms = saved.terms
        if let expiresAt = saved.expiresAt {
            guard expiresAt > bootTime else { throw Failure(.nothingHere, "their time is over") }
            terms = terms ?? ContentTerms()
            terms?.expiresMilliseconds = expiresAt - bootTime
        }
        try saved.check()
        let process = ProcessKey(pid: saved.ownerProcess ?? 0, identity: saved.ownerIdentity ?? .max)
        var kept: [KeptID] = []
        var amount = Accounting.Amount(objects: 1)
        let account = context.accounting.open(process)
        let items = saved.items.map { item in
            let types = Conformance.TypeIndex(item.representations)
            amount.objects += 1 + UInt64(item.representations.count)
            amount.metadata += types.byteCount + UInt64(item.nameByteCount)
            return StoredItem(
                suggestedName: item.suggestedName,
                presentation: StoredItem.Presentation(item),
                teamData: item.teamData,
                types: types,
                representations: item.representations.map { representation in
                    var id: KeptID?
                    if representation.provision == .kept {
                        let new = insertKept(
                            announced: representation.byteCount,
                            content: representation.content,
                            isConcealed: false,
                            for: account,
                            &context
                        )
                        if let slot = keptTable.find(new) { keptTable[slot].count = representation.byteCount ?? 0 }
                        kept.append(new)
                        id = new
                    }
                    return StoredRepresentation(representation, kept: id, keepAlive: context.limits.keepAlive)
                }
            )
        }
        let publication = insert(
            Publication(
                owner: nil,
                writer: AccessContext(process: process, groups: saved.ownerGroups),
                ownerLabel: saved.ownerLabel,
                boardName: saved.board,
                items: items,
                charge: context.accounting.grant(amount, to: account),
                terms: PublicationTerms(terms, at: context.elapsed),
                committedAt: context.now - min(context.now, bootTime - min(bootTime, saved.committedAt ?? bootTime))
            )
        )
        if let slot = find(publication) {
            publicationTable[slot].version = saved.version ?? 0
            publicationTable[slot].isOrphan = true
            publicationTable[slot].isAwaited = true
            scheduleExpiry(of: slot, &context)
        }
        return (publication, kept)
    }

    // MARK: Reclaims

    /// Gives contents back to their writer, which has written them again: the broker still has their kept bytes, and
    /// their promises have a source again.
    ///
    /// - Returns: false, without a change, if the write has other items, terms or bytes, or if nothing of the contents
    ///   is kept. Then the write replaces the contents.
    mutating func returnToWriter(
        _ id: PublicationID,
        writtenBy write: WriteID,
        _ context: inout BrokerContext
    ) -> Bool {
        guard let slot = find(id), let found = writeTable.find(write), !isConcealed(slot),
            !writeTable[found].isConcealed,
            termsMessage(of: slot, context).isSame(as: writeTable[found].terms),
            isSame(publicationTable[slot].items, as: writeTable[found].items), let write = writeTable.remove(write)
        else { return false }
        for (index, item) in write.items.enumerated() {
            for (number, representation) in item.representations.enumerated() {
                let part = PublicationPart(item: UInt32(clamping: index), representation: UInt32(clamping: number))
                publicationTable[slot].update(part) { old in
                    guard old.kept == nil else { return }
                    let cached = old.cached
                    old = representation
                    old.cached = cached
                }
            }
        }
        seal(write.keptBytes, &context)
        context.release(write.charge)
        publicationTable[slot].owner = (write.peer, write.stream)
        publicationTable[slot].version += 1
        publicationTable[slot].isAwaited = false
        hasNewContents = true
        if publicationTable[slot].isOrphan {
            publicationTable[slot].isOrphan = false
            let account = publicationTable[slot].charge.account
            for _ in 0..<publicationTable[slot].openLoads { context.accounting.removeOrphanLoad(of: account) }
        }
        save(id, &context)
        return true
    }

    /// Whether items are those of contents of which something is kept, except for the bytes that have arrived.
    private func isSame(_ old: [StoredItem], as new: [StoredItem]) -> Bool {
        func described(_ item: StoredItem) -> Item {
            var message = describe(item, item.representations, hasSource: true)
            for index in message.representations.indices {
                message.representations[index].provision = nil
                message.representations[index].byteCount = nil
                message.representations[index].policy = nil
                message.representations[index].content = nil
                message.representations[index].fileOptions = nil
            }
            return message
        }
        return old.contains { $0.representations.contains { $0.kept != nil } }
            && old.count == new.count
            && zip(old, new).allSatisfy { old, new in
                described(old) == described(new)
                    && zip(old.representations, new.representations).allSatisfy { $0.kept == nil || $1.kept == nil }
            }
    }
}

extension ContentTerms? {
    /// Whether contents have the same terms, except for the time until they expire.
    fileprivate func isSame(as other: ContentTerms?) -> Bool {
        func flags(_ terms: ContentTerms?) -> [Bool] {
            [terms?.isConcealed, terms?.isTransient, terms?.isAutogenerated, terms?.isLocalOnly].map { $0 == true }
        }
        return flags(self) == flags(other) && self?.maximumLoads == other?.maximumLoads
    }
}

extension SavedContents {
    /// Throws unless a peer could have written them: lists and loads rely on that.
    fileprivate func check() throws(Failure) {
        guard !items.isEmpty else { throw Failure(.invalidArgument, "they have no item") }
        guard ownerLabel == ownerLabel.asLabel, ownerGroups.allSatisfy(\.isGroup) else {
            throw Failure(.invalidArgument, "their writer has a label or a group that no program can have")
        }
        for (index, item) in items.enumerated() {
            try item.check(at: index)
            let bytes = item.encoded
            // As saved it has more fields than as written.
            guard bytes.count <= WireLimits.itemLength + 1 << 10,
                item.suggestedName.map({ $0 == $0.asSuggestedName }) ?? true
            else { throw Failure(.invalidArgument, "item \(index + 1) or its name is too large") }
        }
    }
}

extension Item {
    /// The bytes of names and types, for the charge.
    fileprivate var nameByteCount: Int {
        let own = (suggestedName?.utf8.count ?? 0) + (title?.utf8.count ?? 0) + (teamData?.count ?? 0)
        return representations.reduce(own) { sum, representation in
            representation.supertypes.reduce(sum + representation.type.utf8.count) { $0 + $1.utf8.count }
        }
    }
}
