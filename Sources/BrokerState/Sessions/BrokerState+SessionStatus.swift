import PasteboardWire

extension BrokerState {
    /// The sessions that a peer may know of.
    func sessionEntries(for viewer: Viewer) -> [StatusEntry] {
        self.sessions.ids.compactMap { id in
            guard let session = self.sessions[id], let publication = self.publications[session.publication],
                (session.phase != .offered && !session.isRestricted) || viewer.process == publication.writer.process
            else { return nil }
            let places = publication.places(for: viewer)
            var status = SessionStatus()
            status.state = "\(session.phase)"
            status.handle = session.publication.rawValue
            status.ownerProcess = publication.ownerProcess.pid
            status.ownerLabel = publication.ownerLabel
            status.itemCount = UInt32(clamping: places.count)
            status.types =
                places.first.map { place in
                    publication.items[place].representations
                        .filter { viewer.sees($0.visibility, of: publication.writer) }.map(\.type)
                } ?? []
            let visit = (session.hover?.visit ?? session.drop?.visit).flatMap { self.visits[$0] }
            if let visit, let destination = self.destinations[visit.destination],
                self.isShown(destination, to: viewer.process)
            {
                status.destination = destination.name
            }
            status.operation = (session.drop?.operation ?? session.hover?.proposal?.operation)?.rawValue
            status.milliseconds = self.now - session.startedAt
            var entry = StatusEntry()
            entry.session = status
            return entry
        }
    }

    func destinationEntries(for viewer: Viewer) -> [StatusEntry] {
        self.destinationNames.sorted { $0.key < $1.key }.compactMap { name, id in
            guard let destination = self.destinations[id], let peer = self.peers[destination.peer],
                self.isShown(destination, to: viewer.process)
            else { return nil }
            var status = DestinationStatus()
            status.name = name
            status.process = peer.process.pid
            status.label = peer.label
            status.types = destination.types
            status.sessions = UInt32(clamping: destination.occupants.count)
            var entry = StatusEntry()
            entry.destination = status
            return entry
        }
    }
}
