import PasteboardWire

package typealias WaitID = SlotTable<DestinationWait>.ID

/// A request that is answered once a destination with a given name is registered.
package struct DestinationWait: ~Copyable, Sendable {
    let peer: PeerID
    let process: ProcessKey
    let stream: UInt64
    let name: String
    /// The drag session that waits; nil for a wait without a drag.
    let session: SessionID?
    let milliseconds: UInt64
    let endsBy: UInt64
    let charge: Charge

    func send(_ message: some WireMessage, _ context: inout BrokerContext) {
        context.send(message, to: peer, stream: stream)
    }
}

// Waits for destinations that are not registered yet, so that sources need not poll.
extension Sessions {
    /// Begins a wait, or answers it at once if the destination exists.
    ///
    /// - Returns: nil if the wait is over.
    mutating func wait(
        _ message: Wait,
        stream: UInt64,
        by owner: Participant,
        in world: inout World
    ) throws(Failure) -> WaitID? {
        try Feature.check(message.requires)
        try BoardName.check(message.destination, of: "a destination")
        var session: SessionID?
        if let handle = message.handle { session = try openSession(handle, of: owner.peer, in: world) }
        if isAvailable(message.destination, for: session, of: owner.process) {
            world.context.send(End(), to: owner.peer, stream: stream)
            return nil
        }
        // The limits of destinations apply, because a new destination is compared with all waits.
        try world.context.checkRoom(for: owner.account, of: .waits, atMost: world.context.limits.destinationsPerProcess)
        let metadata = UInt64(message.destination.utf8.count)
        let charge = try world.context.charge(owner.account, metadata: metadata, for: "a wait for a destination")
        world.context.accounting.acquire(of: .waits, for: owner.account)
        let milliseconds = message.milliseconds ?? .max
        let endsBy = world.context.now.addingClamped(milliseconds)
        let id = waitTable.insert(
            DestinationWait(
                peer: owner.peer,
                process: owner.process,
                stream: stream,
                name: message.destination,
                session: session,
                milliseconds: milliseconds,
                endsBy: endsBy,
                charge: charge
            )
        )
        if let slot = session.flatMap({ sessionTable.find($0) }) { sessionTable[slot].waits += 1 }
        world.context.check(by: endsBy)
        return id
    }

    private func isAvailable(_ name: String, for session: SessionID?, of process: ProcessKey) -> Bool {
        if let session { return findDestination(name, for: session) != nil }
        guard let slot = destinationNames[name].flatMap({ destinationTable.find($0) }) else { return false }
        return destinationTable[slot].isVisible(to: process)
    }

    /// Answers the waits for a destination that was registered.
    mutating func answerWaits(for name: String, _ context: inout BrokerContext) {
        for id in waitTable.ids {
            guard let slot = waitTable.find(id), waitTable[slot].name == name,
                isAvailable(name, for: waitTable[slot].session, of: waitTable[slot].process)
            else { continue }
            waitTable[slot].send(End(), &context)
            endWait(id, &context)
        }
    }

    mutating func checkWaits(_ context: inout BrokerContext) {
        var list: String??
        for id in waitTable.ids {
            guard let slot = waitTable.find(id) else { continue }
            guard waitTable[slot].endsBy <= context.now else {
                context.check(by: waitTable[slot].endsBy)
                continue
            }
            // Computed once for all waits that end now, because it reads many names.
            let names = list ?? destinationList
            list = names
            let name = waitTable[slot].name.printable
            let text = "no destination \(name) was registered within \(waitTable[slot].milliseconds) ms"
            let failure = Failure(.nothingHere, text, detail: names)
            waitTable[slot].send(failure, &context)
            endWait(id, &context)
        }
    }
}
