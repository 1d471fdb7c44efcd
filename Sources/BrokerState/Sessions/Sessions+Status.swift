import PasteboardWire

extension Sessions {
    /// The drag session after another one, which may have ended; the first one after nil.
    func nextSession(after slot: Slot?) -> Slot? {
        sessionTable.next(after: slot)
    }

    /// The status of a drag session; nil if a peer may not see it.
    func status(of slot: Slot, for access: AccessContext, in world: borrowing World) -> SessionStatus? {
        guard let publication = world.contents.find(sessionTable[slot].publication),
            sessionTable[slot].isVisible || access.process == sessionTable[slot].process
        else { return nil }
        let indices = world.contents[publication].visibleItems(to: access)
        let phase = sessionTable[slot].phase
        var status = SessionStatus()
        status.state = phase.name
        status.handle = sessionTable[slot].publication.rawValue
        status.ownerProcess = world.contents[publication].ownerProcess.pid
        status.ownerLabel = world.contents[publication].ownerLabel
        status.itemCount = UInt32(clamping: indices.count)
        status.types = indices.first.map { world.contents[publication].visibleTypes(of: $0, to: access) } ?? []
        let destinationSession = phase.tracking?.destinationSession ?? phase.drop?.destinationSession
        if let destination = destinationSession.flatMap({ destination(of: $0) }),
            destinationTable[destination].isVisible(to: access.process)
        {
            status.destination = destinationTable[destination].name
        }
        status.operation = phase.drop?.operation ?? phase.tracking?.operation
        status.milliseconds = world.context.now - sessionTable[slot].startedAt
        return status
    }

    var sortedDestinationNames: [String] { destinationNames.keys.sorted() }

    /// The status of a destination; nil if it has ended, or if a peer may not see it.
    func status(ofDestination name: String, for access: AccessContext) -> DestinationStatus? {
        guard let slot = destinationNames[name].flatMap({ destinationTable.find($0) }),
            destinationTable[slot].isVisible(to: access.process)
        else { return nil }
        var status = DestinationStatus()
        status.name = name
        status.process = destinationTable[slot].process.pid
        status.label = destinationTable[slot].label
        status.types = destinationTable[slot].types
        status.sessions = UInt32(clamping: destinationTable[slot].occupants.count)
        return status
    }
}
