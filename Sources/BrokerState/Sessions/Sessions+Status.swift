import PasteboardWire

extension Sessions {
    /// The status of the drag sessions that a peer may see.
    func sessionEntries(
        for access: AccessContext,
        _ contents: borrowing ContentStore,
        at now: UInt64
    ) -> [StatusEntry] {
        var entries: [StatusEntry] = []
        var cursor = sessionTable.next()
        while let slot = cursor {
            cursor = sessionTable.next(after: slot)
            guard let publication = contents.find(sessionTable[slot].publication),
                sessionTable[slot].isVisible || access.process == sessionTable[slot].process
            else { continue }
            let indices = contents[publication].visibleItems(to: access)
            let phase = sessionTable[slot].phase
            var status = SessionStatus()
            status.state = phase.name
            status.handle = sessionTable[slot].publication.rawValue
            status.ownerProcess = contents[publication].ownerProcess.pid
            status.ownerLabel = contents[publication].ownerLabel
            status.itemCount = UInt32(clamping: indices.count)
            status.types = indices.first.map { contents[publication].visibleTypes(of: $0, to: access) } ?? []
            let destinationSession = phase.tracking?.destinationSession ?? phase.drop?.destinationSession
            if let destination = destinationSession.flatMap({ destination(of: $0) }),
                destinationTable[destination].isVisible(to: access.process)
            {
                status.destination = destinationTable[destination].name
            }
            status.operation = (phase.drop?.operation ?? phase.tracking?.operation)
            status.milliseconds = now - sessionTable[slot].startedAt
            var entry = StatusEntry()
            entry.session = status
            entries.append(entry)
        }
        return entries
    }

    /// The status of the destinations that a peer may see, in the order of their names.
    func destinationEntries(for access: AccessContext) -> [StatusEntry] {
        var entries: [StatusEntry] = []
        for (name, id) in destinationNames.sorted(by: { $0.key < $1.key }) {
            guard let slot = destinationTable.find(id), destinationTable[slot].isVisible(to: access.process) else {
                continue
            }
            var status = DestinationStatus()
            status.name = name
            status.process = destinationTable[slot].process.pid
            status.label = destinationTable[slot].label
            status.types = destinationTable[slot].types
            status.sessions = UInt32(clamping: destinationTable[slot].occupants.count)
            var entry = StatusEntry()
            entry.destination = status
            entries.append(entry)
        }
        return entries
    }
}
