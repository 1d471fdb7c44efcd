import PasteboardWire

// Items as destinations see them.
extension ContentStore {
    /// The number of items of which `access` shows a representation.
    func visibleItemCount(of slot: Slot, to access: AccessContext) -> Int {
        publicationTable[slot].isRestricted
            ? publicationTable[slot].visibleItems(to: access).count : publicationTable[slot].items.count
    }

    /// Describes a publication, of which a peer sees so many items, in a list or a change. Without one, the board is
    /// empty for the peer.
    func describe(
        _ id: PublicationID,
        itemCount: Int,
        in message: inout some ContentDescription,
        _ context: borrowing BrokerContext
    ) {
        guard itemCount > 0, let slot = find(id) else { return }
        message.handle = id.rawValue
        message.itemCount = UInt32(clamping: itemCount)
        message.ownerLabel = publicationTable[slot].ownerLabel
        message.ownerProcess = publicationTable[slot].ownerProcess.pid
        message.terms = termsMessage(of: slot, context)
        message.version = publicationTable[slot].version
    }

    func visibilities(of slot: Slot, to access: AccessContext) -> VisibilitySet {
        access.visibilities(of: publicationTable[slot].writer)
    }

    /// The visible items and their types, as peers with these visibilities see them.
    func summary(of slot: Slot, for visibilities: VisibilitySet, _ context: inout BrokerContext) -> ContentSummary {
        var itemCount = 0
        var types: [String] = []
        var known: Set<String> = []
        for item in publicationTable[slot].items {
            context.cost += Cost.checkedItem + item.representations.count / 4
            var isVisible = false
            for representation in item.representations where visibilities.contains(representation.visibility) {
                isVisible = true
                guard types.count < WireLimits.representations, known.insert(representation.type).inserted else {
                    continue
                }
                types.append(representation.type)
            }
            if isVisible { itemCount += 1 }
        }
        return ContentSummary(visibilities: visibilities, itemCount: itemCount, types: types)
    }

    /// The version of a publication; 0 if it does not exist.
    func version(of id: PublicationID) -> UInt64 {
        guard let slot = find(id) else { return 0 }
        return publicationTable[slot].version
    }

    /// Describes an item with the representations that `access` shows; nil if it shows none.
    func describe(_ item: Int, of slot: Slot, to access: AccessContext) -> Item? {
        let stored = publicationTable[slot].items[item]
        let visibilities = access.visibilities(of: publicationTable[slot].writer)
        let visible = stored.representations.filter { visibilities.contains($0.visibility) }
        guard !visible.isEmpty else { return nil }
        var message = describe(stored, visible, hasSource: publicationTable[slot].owner != nil)
        if isConcealed(slot) {
            for index in message.representations.indices { message.representations[index].byteCount = nil }
        }
        if access.isLink { message.teamData = nil }
        return message
    }

    /// Describes an item with some of its representations.
    func describe(_ stored: StoredItem, _ representations: [StoredRepresentation], hasSource: Bool) -> Item {
        var message = Item()
        message.representations = representations.map { describe($0, hasSource: hasSource) }
        message.suggestedName = stored.suggestedName
        message.presentationWidth = stored.presentation?.width
        message.presentationHeight = stored.presentation?.height
        message.presentationStyle = stored.presentation?.style
        message.title = stored.presentation?.title
        message.teamData = stored.teamData
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
    func describe(
        _ id: PublicationID,
        in status: inout BoardStatus,
        to access: AccessContext,
        _ context: borrowing BrokerContext
    ) {
        status.itemCount = 0
        guard let slot = find(id) else { return }
        let items = publicationTable[slot].visibleItems(to: access)
        guard let first = items.first else { return }
        status.itemCount = UInt32(clamping: items.count)
        status.keptBytes = isConcealed(slot) ? nil : keptByteCount(of: slot, visibleTo: access)
        status.terms = termsMessage(of: slot, context)
        status.milliseconds = age(of: slot, context)
        status.ownerProcess = publicationTable[slot].ownerProcess.pid
        status.ownerLabel = publicationTable[slot].ownerLabel
        status.title = publicationTable[slot].items[first].presentation?.title
        status.types = publicationTable[slot].visibleTypes(of: first, to: access)
    }

    /// The time since the commit, in milliseconds.
    func age(of slot: Slot, _ context: borrowing BrokerContext) -> UInt64 {
        context.now - min(context.now, publicationTable[slot].committedAt)
    }

    /// The type of a representation; nil if `access` does not show it.
    func visibleType(of part: PublicationPart, in id: PublicationID, to access: AccessContext) -> String? {
        guard let slot = visible(id, to: access) else { return nil }
        let representation = publicationTable[slot].representation(part)
        let visibilities = access.visibilities(of: publicationTable[slot].writer)
        return visibilities.contains(representation.visibility) ? representation.type : nil
    }
}

/// The fields of a message that describe the contents of a board.
protocol ContentDescription {
    var handle: UInt64? { get set }
    var itemCount: UInt32? { get set }
    var ownerLabel: String? { get set }
    var ownerProcess: UInt32? { get set }
    var terms: ContentTerms? { get set }
    var version: UInt64? { get set }
}

extension Contents: ContentDescription {}
extension Change: ContentDescription {}
