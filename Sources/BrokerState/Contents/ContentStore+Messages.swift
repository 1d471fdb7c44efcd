import PasteboardWire

// Items as destinations see them.
extension ContentStore {
    /// The number of items of which `access` shows a representation.
    func visibleItemCount(of slot: Slot, to access: AccessContext) -> Int {
        publicationTable[slot].isRestricted
            ? publicationTable[slot].visibleItems(to: access).count : publicationTable[slot].items.count
    }

    /// Describes an item with the representations that `access` shows; nil if it shows none.
    func describe(_ item: Int, of slot: Slot, to access: AccessContext) -> Item? {
        var message = Item()
        let stored = publicationTable[slot].items[item]
        let visibilities = access.visibilities(of: publicationTable[slot].writer)
        let hasSource = publicationTable[slot].owner != nil
        for stored in stored.representations where visibilities.contains(stored.visibility) {
            message.representations.append(describe(stored, hasSource: hasSource))
        }
        guard !message.representations.isEmpty else { return nil }
        message.suggestedName = stored.suggestedName
        message.presentationWidth = stored.presentation?.width
        message.presentationHeight = stored.presentation?.height
        message.presentationStyle = stored.presentation?.style
        message.title = stored.presentation?.title
        if !access.isLink { message.teamData = stored.teamData }
        return message
    }

    private func describe(_ stored: StoredRepresentation, hasSource: Bool) -> Representation {
        var message = Representation()
        message.type = stored.type
        message.supertypes = stored.supertypes
        message.visibility = stored.visibility
        message.byteCount = stored.byteCount
        if let id = stored.kept, let kept = keptTable.find(id) {
            message.byteCount = keptTable[kept].count
            message.content = keptTable[kept].content
        }
        message.provision = stored.kept != nil ? .kept : hasSource ? .promised : .gone
        if stored.isKeptOnce { message.policy = .onceAndKept }
        if stored.isOpenInPlace { message.fileOptions = .openInPlace }
        message.file = stored.file?.attributes
        return message
    }

    // MARK: Status

    /// Adds the part of a board's publication that `access` shows to the board's status.
    func describe(_ id: PublicationID, in status: inout BoardStatus, to access: AccessContext) {
        status.itemCount = 0
        guard let slot = find(id) else { return }
        let items = publicationTable[slot].visibleItems(to: access)
        guard let first = items.first else { return }
        status.itemCount = UInt32(clamping: items.count)
        status.keptBytes = keptByteCount(of: slot, visibleTo: access)
        status.ownerProcess = publicationTable[slot].ownerProcess.pid
        status.ownerLabel = publicationTable[slot].ownerLabel
        status.title = publicationTable[slot].items[first].presentation?.title
        status.types = publicationTable[slot].visibleTypes(of: first, to: access)
    }

    /// The type of a representation; nil if `access` does not show it.
    func visibleType(of part: PublicationPart, in id: PublicationID, to access: AccessContext) -> String? {
        guard let slot = find(id) else { return nil }
        let representation = publicationTable[slot].representation(part)
        let visibilities = access.visibilities(of: publicationTable[slot].writer)
        return visibilities.contains(representation.visibility) ? representation.type : nil
    }
}
