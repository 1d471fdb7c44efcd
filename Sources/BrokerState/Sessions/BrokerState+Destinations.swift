import PasteboardWire
import TypeIdentifiers

// Destinations: their registration, their names, and their end.
extension BrokerState {
    mutating func register(_ message: Destination, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(message.requires)
        try BoardName.check(message.name, of: "a destination")
        guard let owner = peers[peer] else { return }
        if let holder = destinationNames[message.name].flatMap({ destinations[$0] }) {
            let name = holder.isVisible(to: owner.process) ? peers[holder.peer]?.name ?? "" : "another process"
            throw Failure(
                .refused,
                "the destination \(message.name) is \(name)'s; choose another name, or end that"
            )
        }
        let own = destinations.ids.count { destinations[$0]?.process == owner.process }
        guard own < limits.destinationsPerProcess, destinations.count < limits.destinations else {
            throw Failure(
                .limitExceeded,
                "process \(owner.process.pid) has \(own) of \(destinations.count) destinations; limit "
                    + "destinations-per-process is \(limits.destinationsPerProcess), limit destinations "
                    + "\(limits.destinations)"
            )
        }
        for accept in message.accepts where accept.match != 2 && !TypeIdentifier.isWellFormed(accept.type) {
            throw Failure(
                .invalidArgument,
                "'\(accept.type.printable.prefix(utf8Count: WireLimits.name))', which the destination takes, is not a type "
                    + "identifier: letters, digits, '-', '.' and '_', at most \(WireLimits.typeIdentifier) bytes"
            )
        }
        let types = message.accepts.map { $0.match == 2 ? "" : $0.type }
        let metadata = types.reduce(UInt64(message.name.utf8.count)) { $0 + UInt64($1.utf8.count) }
        let charge = try accounting.charge(
            owner.account,
            Accounting.Amount(objects: 1, metadata: metadata),
            for: "a destination"
        )
        let id = destinations.insert(
            StoredDestination(
                peer: peer,
                stream: stream,
                access: owner.viewer,
                name: message.name,
                types: types.contains("") ? [] : types,
                accepts: AcceptedTypes(message.accepts),
                isOwnProcess: message.isOwnProcess ?? false,
                allowsSimultaneousSessions: message.allowsSimultaneousSessions ?? false,
                receivesResults: owner.hearsOfDrops,
                charge: charge
            )
        )
        destinationNames[message.name] = id
        peers.update(peer) { $0.streams[stream] = .destination(id) }
        outbox.send(Registered(), to: peer, stream: stream)
        answerWaits(for: id)
    }

    /// A destination is unregistered, or its process has gone.
    mutating func destinationLeft(_ id: DestinationID) {
        guard let destination = destinations[id] else { return }
        destinationNames[destination.name] = nil
        peers.update(destination.peer) { $0.streams[destination.stream] = nil }
        let name = peers[destination.peer]?.name ?? ""
        let failure = Failure(.destinationGone, "destination \(destination.name) of \(name) has gone")
        for other in destination.sessions.sorted(by: { $0.slot < $1.slot }) {
            guard let record = destinationSessions[other] else { continue }
            // The stream ends without an exit.
            endDestinationSession(other, nil, sendsExit: false)
            withdraw(record, other, failure)
        }
        destinations.remove(id)
        accounting.release(destination.charge)
    }

    /// The destination of a name, if a session can be directed there.
    func findDestination(_ name: String, for id: SessionID) -> DestinationID? {
        guard let session = sessions[id], let found = destinationNames[name], let destination = destinations[found],
            destination.isVisible(to: session.process), session.isAvailable(to: destination.process)
        else { return nil }
        return found
    }

    /// The names of destinations, for an error; nil if there are none.
    var destinationList: String? {
        // Destinations for their own process alone are left out. Only as many names are looked at as an error has room for:
        // a source that repeatedly moves to a missing destination must not make the broker sort all names each time.
        var names: [String] = []
        for (name, id) in destinationNames where destinations[id]?.isOwnProcess == false {
            guard names.count < WireLimits.errorDetail / 32 else { break }
            names.append(name)
        }
        return names.isEmpty ? nil : names.sorted().joined(separator: "\n")
    }
}
