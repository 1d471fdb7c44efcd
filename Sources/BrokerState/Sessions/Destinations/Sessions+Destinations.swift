import PasteboardWire

// Destinations: their registration, their names, and their end.
extension Sessions {
    /// Registers a destination.
    mutating func register(
        _ message: Destination,
        stream: UInt64,
        by owner: Participant,
        _ context: inout BrokerContext
    ) throws(Failure) -> DestinationID {
        try Feature.check(message.requires)
        try AcceptList.check(message.accepts)
        try BoardName.check(message.name, of: "a destination")
        if let holder = destinationNames[message.name].flatMap({ destinationTable.find($0) }) {
            let isVisible = destinationTable[holder].isVisible(to: owner.process)
            let name = isVisible ? destinationTable[holder].ownerName : "another process"
            throw Failure(
                .refused,
                "destination \(message.name) is already registered by \(name); choose another name or stop that process"
            )
        }
        try context.checkRoom(for: owner.account, of: .destinations, atMost: context.limits.destinationsPerProcess)
        let types = message.accepts.map { $0.match == .any ? "" : $0.type }
        let metadata = types.reduce(UInt64(message.name.utf8.count)) { $0 + UInt64($1.utf8.count) }
        let charge = try context.charge(owner.account, metadata: metadata, for: "a destination")
        context.accounting.acquire(of: .destinations, for: owner.account)
        let shown = types.contains("") ? [] : types
        let id = destinationTable.insert(
            StoredDestination(message, of: owner, types: shown, stream: stream, charge: charge)
        )
        destinationNames[message.name] = id
        destinationChanges &+= 1
        if announcements[owner.peer] == nil { announcements[owner.peer] = Announcements(unread: owner.unread) }
        context.send(Registered(), to: owner.peer, stream: stream)
        return id
    }

    /// Withdraws the next session of a destination that is being removed. The caller performs the outcome and calls
    /// again until there is none, and then removes the destination.
    mutating func withdrawNext(from id: DestinationID, in world: inout World) -> SessionOutcome? {
        guard let slot = destinationTable.find(id) else { return nil }
        // The name is free from now on, and sessions cannot enter again while others end.
        if destinationNames[destinationTable[slot].name] == id { destinationNames[destinationTable[slot].name] = nil }
        let destination = "destination \(destinationTable[slot].name) of \(destinationTable[slot].ownerName)"
        guard let next = destinationTable[slot].sessions.min(by: { $0.slot < $1.slot }),
            let destinationSession = destinationSessionTable.find(next)
        else { return nil }
        let session = destinationSessionTable[destinationSession].session
        // The stream ends without an exit.
        endDestinationSession(next, nil, sendsExit: false, &world.context)
        return withdraw(session, from: next, Failure(.destinationGone, "\(destination) has ended"), &world.context)
    }

    /// Removes a destination without sessions.
    mutating func remove(_ id: DestinationID, _ context: inout BrokerContext) {
        guard let destination = destinationTable.remove(id) else { return }
        if destinationNames[destination.name] == id { destinationNames[destination.name] = nil }
        destinationChanges &+= 1
        closedStreams.append(ClosedStream(peer: destination.peer, stream: destination.stream))
        context.accounting.release(of: .destinations, for: destination.charge.account)
        context.release(destination.charge)
    }
}
