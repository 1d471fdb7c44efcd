import PasteboardWire

/// Publications, and the bytes that the broker keeps for them.
struct Contents: ~Copyable, Sendable {
    typealias Slot = SlotTable<Publication>.Slot

    var publicationTable: SlotTable<Publication>
    var keptTable = SlotTable<KeptBytes>()

    init(epoch: UInt64 = 0) {
        // A handle of an earlier lifetime of the broker must not name contents of this one.
        publicationTable = SlotTable(firstGeneration: UInt32(truncatingIfNeeded: epoch ^ epoch >> 32))
    }

    @inline(__always)
    func find(_ id: PublicationID) -> Slot? { publicationTable.find(id) }

    subscript(_ slot: Slot) -> Publication {
        @inline(__always) _read { yield publicationTable[slot] }
    }

    /// Describes an item with the representations that `access` shows.
    func describe(_ item: Int, of slot: Slot, to access: AccessContext) -> Item {
        var message = Item()
        let item = publicationTable[slot].items[item]
        let writer = publicationTable[slot].writer
        let hasSource = publicationTable[slot].owner != nil
        for stored in item.representations where access.sees(stored.visibility, of: writer) {
            message.representations.append(describe(stored, hasSource: hasSource))
        }
        message.suggestedName = item.suggestedName
        message.presentationWidth = item.presentation?.width
        message.presentationHeight = item.presentation?.height
        message.presentationStyle = item.presentation?.style
        message.title = item.presentation?.title
        if !access.isLink { message.teamData = item.teamData }
        return message
    }

    private func describe(_ stored: StoredRepresentation, hasSource: Bool) -> Representation {
        var message = Representation()
        message.type = stored.type
        message.supertypes = stored.supertypes
        message.visibility = stored.visibility
        message.byteCount = stored.byteCount
        if let slot = stored.kept.flatMap({ keptTable.find($0) }) {
            message.byteCount = keptTable[slot].count
            message.content = keptTable[slot].content
        }
        message.provision = stored.kept != nil ? .kept : hasSource ? .promised : .gone
        if stored.isKeptOnce { message.policy = .onceAndKept }
        if stored.isOpenInPlace { message.fileOptions = .openInPlace }
        message.file = stored.file?.attributes
        return message
    }
}
