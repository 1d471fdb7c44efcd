import PasteboardWire

// The creation of destination sessions. `Sessions+Ends.swift` ends them.
extension Sessions {
    // MARK: Creation

    /// Finds or creates a session's destination session. Throws unless the destination accepts one of the items and has
    /// room for the session.
    mutating func destinationSession(
        of id: SessionID,
        at destinationID: DestinationID,
        in world: inout World
    ) throws(Failure) -> DestinationSessionID {
        guard let slot = sessionTable.find(id), let destination = destinationTable.find(destinationID),
            let publication = world.contents.find(sessionTable[slot].publication)
        else { throw Failure(.nothingHere, "the session or the destination has ended") }
        let destinationSessionID: DestinationSessionID
        if let known = sessionTable[slot].destinationSessions[destinationID] {
            destinationSessionID = known
        } else {
            let account = world.contents[publication].charge.account
            let charge = try world.context.charge(account, for: "a session at one more destination")
            destinationSessionID = destinationSessionTable.insert(
                DestinationSession(session: id, destination: destinationID, charge: charge)
            )
            sessionTable[slot].destinationSessions[destinationID] = destinationSessionID
            destinationTable[destination].sessions.insert(destinationSessionID)
        }
        try checkIsAcceptable(publication, destinationSessionID, destination, in: &world)
        guard destinationTable[destination].hasRoom(for: destinationSessionID) else {
            let name = destinationTable[destination].name
            throw Failure(.refused, "destination \(name) has another session; try again when that has ended")
        }
        return destinationSessionID
    }

    /// Refuses a destination that accepts none of the items. Each item is checked once.
    private mutating func checkIsAcceptable(
        _ publication: SlotTable<Publication>.Slot,
        _ id: DestinationSessionID,
        _ destination: DestinationSlot,
        in world: inout World
    ) throws(Failure) {
        guard let destinationSession = destinationSessionTable.find(id),
            !destinationSessionTable[destinationSession].isAcceptable
        else { return }
        let access = destinationTable[destination].access
        let accepts = destinationTable[destination].accepts
        let first = destinationSessionTable[destinationSession].checkedItems
        var isAcceptable = false
        for index in first..<world.contents[publication].items.count where !isAcceptable {
            world.context.cost += accepts.count + Cost.checkedItem
            let visible = world.contents[publication].visibleRepresentations(of: index, to: access)
            isAcceptable =
                accepts.choose(among: world.contents[publication].items[index].types, offered: visible) != nil
        }
        destinationSessionTable[destinationSession].isAcceptable = isAcceptable
        destinationSessionTable[destinationSession].checkedItems = world.contents[publication].items.count
        guard !isAcceptable else { return }
        let types = destinationTable[destination].types.joined(separator: ", ").printable
        throw Failure(
            .typeUnavailable,
            "destination \(destinationTable[destination].name) accepts none of the items: it accepts "
                + (types.isEmpty ? "only representations that it may see" : types)
        )
    }
}
