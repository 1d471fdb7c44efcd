import PasteboardWire

/// The representation that a load gets, as numbers.
struct Offer {
    enum Provision {
        case promised(PeerID)
        /// Promised, and to be kept when it has been asked for once.
        case promisedOnce(PeerID)
        /// Kept, or being kept.
        case kept(KeptID)
    }

    let publication: PublicationID
    let part: PublicationPart
    /// The item's index, and the number of items, as the destination counts them.
    let visibleItem: UInt32
    let visibleCount: UInt32
    let provision: Provision
    /// The size that the load will have, if it is certain.
    let byteCount: UInt64?
    /// The size that the source announced.
    let announced: UInt64?
    let firstByte: UInt64
    let mayOpenInPlace: Bool
    /// Whether the load is one of a limited number.
    var isCounted = false
    /// Whether the bytes are secret.
    var isConcealed = false
}

// The choice of the representation that a load gets. Only this code decides which representations a destination may
// load.
extension ContentStore {
    /// The offer for a load of one type by its exact name. Nothing is allocated or copied for it.
    ///
    /// - Parameters:
    ///   - isLink: whether the destination passes contents on to another machine.
    ///   - firstByte: the time that a source has for the first byte, if it did not say so.
    /// - Returns: nil if nothing is offered under that name, or if a further rule applies. `offer` decides then.
    @inline(__always)
    mutating func plainOffer(
        _ load: borrowing LoadFields,
        _ payload: Span<UInt8>,
        in slot: Slot,
        isLink: Bool,
        firstByte standard: UInt64
    ) -> Offer? {
        let item = Int(load.item)
        // In restricted contents each destination may count other items, and terms may forbid the load.
        guard publicationTable[slot].isPlain, publicationTable[slot].isCurrent,
            publicationTable[slot].session == nil, item < publicationTable[slot].items.count
        else { return nil }
        // Types that differ in case only are one type, and an item has no type twice. Each access names the whole path,
        // because a variable or a method would copy the item.
        let type = payload.extracting(load.type)
        let count = publicationTable[slot].items[item].representations.count
        var index = 0
        while index < count,
            !publicationTable[slot].typeNames.span
                .extracting(publicationTable[slot].items[item].representations[index].typeRange).hasSameBytes(as: type)
        {
            index += 1
        }
        guard index < count, !publicationTable[slot].items[item].representations[index].isKeptOnce else { return nil }
        let kept = publicationTable[slot].items[item].representations[index].kept
        var size = publicationTable[slot].items[item].representations[index].byteCount
        let provision: Offer.Provision
        if let kept {
            size = keptTable.find(kept).flatMap { keptTable[$0].size }
            provision = .kept(kept)
        } else {
            guard let owner = publicationTable[slot].owner else { return nil }
            provision = .promised(owner.peer)
        }
        if let size, let maximum = load.maximumByteCount, size > maximum { return nil }
        let firstByte = publicationTable[slot].items[item].representations[index].firstByteMilliseconds
        let isOpenInPlace = publicationTable[slot].items[item].representations[index].isOpenInPlace
        return Offer(
            publication: publicationTable.id(of: slot),
            part: PublicationPart(item: load.item, representation: UInt32(clamping: index)),
            visibleItem: load.item,
            visibleCount: UInt32(clamping: publicationTable[slot].items.count),
            provision: provision,
            byteCount: size,
            announced: size,
            firstByte: firstByte == 0 ? standard : UInt64(firstByte),
            mayOpenInPlace: isOpenInPlace && !isLink && !publicationTable[slot].writer.isLink
        )
    }

    mutating func offer(
        _ load: Load,
        in id: PublicationID,
        to access: AccessContext,
        _ context: borrowing BrokerContext
    ) throws(Failure) -> Offer {
        guard let slot = find(id) else { throw .noContents }
        try checkTerms(of: slot, for: load)
        // Usually everything is visible to everybody.
        let filter = publicationTable[slot].isRestricted ? access : nil
        let (item, visible) = try item(load.item ?? 0, in: slot, for: filter)
        try checkLoadsLeft(of: item, in: slot)
        let choice = try choose(load, item: item, in: slot, for: filter)
        let part = PublicationPart(item: UInt32(clamping: item), representation: UInt32(clamping: choice))
        let representation = publicationTable[slot].items[item].representations[choice]
        let size = (representation.kept ?? representation.cached).flatMap { kept($0)?.size } ?? representation.byteCount
        if let size, let maximum = load.maximumByteCount, size > maximum {
            throw Failure(.tooLarge, "\(representation.type) has \(size) bytes; this load allows \(maximum)")
        }
        var provision = Offer.Provision.kept(representation.kept ?? representation.cached ?? KeptID(rawValue: 0))
        if representation.kept == nil, let owner = publicationTable[slot].owner {
            if !representation.isKeptOnce {
                provision = .promised(owner.peer)
            } else if representation.cached == nil {
                let writer = publicationTable[slot].charge.account
                try checkRoomForKept(
                    announced: representation.byteCount,
                    isConcealed: isConcealed(slot),
                    for: writer,
                    context
                )
                provision = .promisedOnce(owner.peer)
            }
        }
        return Offer(
            publication: id,
            part: part,
            visibleItem: load.item ?? 0,
            visibleCount: UInt32(clamping: visible),
            provision: provision,
            // The announced size of bytes that are not kept yet may be wrong.
            byteCount: representation.isKeptOnce && representation.kept == nil ? nil : size,
            announced: representation.byteCount,
            firstByte: representation.firstByte(unlessSaid: context.limits.firstByte),
            mayOpenInPlace: representation.isOpenInPlace && !access.isLink && !publicationTable[slot].writer.isLink,
            isCounted: publicationTable[slot].terms?.maximumLoads != nil,
            isConcealed: isConcealed(slot)
        )
    }

    /// Maps an index among the visible items to an index in the publication.
    ///
    /// - Parameter filter: the destination's access context; nil if every item is visible to it.
    private func item(
        _ index: UInt32,
        in slot: Slot,
        for filter: AccessContext?
    ) throws(Failure) -> (item: Int, visible: Int) {
        var count = publicationTable[slot].items.count
        if let filter {
            let visible = publicationTable[slot].visibleItems(to: filter)
            if Int(index) < visible.count { return (visible[Int(index)], visible.count) }
            count = visible.count
            if count == 0 { throw Failure(.nothingHere, "\(publicationTable[slot].containerName) is empty") }
        }
        guard Int(index) < count else {
            let name = publicationTable[slot].containerName
            throw Failure(.nothingHere, "there is no item \(UInt64(index) + 1); \(name) has \(count)")
        }
        return (Int(index), count)
    }

    /// The index of the representation that the load gets. Promises are not chosen if their source has disconnected, so
    /// that kept bytes of the item can still be loaded.
    private func choose(_ load: Load, item: Int, in slot: Slot, for filter: AccessContext?) throws(Failure) -> Int {
        let list = AcceptList(load.accepts, preference: load.preference)
        let types = publicationTable[slot].items[item].types
        let representations = publicationTable[slot].items[item].representations
        let visible = filter.map { publicationTable[slot].visibleRepresentations(of: item, to: $0) } ?? .max
        var offered = visible
        if publicationTable[slot].owner == nil {
            for (index, representation) in representations.enumerated() where representation.kept == nil {
                offered &= ~(1 << UInt64(index))
            }
        }
        if let choice = list.choose(among: types, offered: offered) { return choice }
        if list.choose(among: types, offered: visible) != nil {
            let name = publicationTable[slot].ownerName
            throw Failure(.sourceGone, "source \(name) has ended; its promises can no longer be loaded")
        }
        // With `any`, every type would have been accepted.
        let takesAny = load.accepts.contains { $0.match == .any }
        let wanted = takesAny ? "" : load.accepts.map(\.type).joined(separator: ", ").printable
        throw Failure(
            .typeUnavailable,
            "no representation is \(wanted.isEmpty ? "visible" : "of type \(wanted)")",
            detail: representations.indices.filter { visible & 1 << UInt64($0) != 0 }
                .map { representations[$0].type }.joined(separator: "\n")
        )
    }
}

extension Failure {
    static var noContents: Failure {
        Failure(
            .superseded,
            "these contents no longer exist: they were replaced or cleared, or their drag session has ended"
        )
    }
}
