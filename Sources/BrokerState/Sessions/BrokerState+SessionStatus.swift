import PasteboardWire

extension BrokerState {
    /// The drag sessions that a peer may know of.
    func sessionEntries(for viewer: Viewer) -> [StatusEntry] {
        sessions.ids.compactMap { id in
            guard let session = sessions[id], let publication = publications[session.publication],
                session.isVisible || viewer.process == session.process
            else { return nil }
            let indices = publication.places(for: viewer)
            var status = SessionStatus()
            status.state = session.phase.name
            status.handle = session.publication.rawValue
            status.ownerProcess = publication.ownerProcess.pid
            status.ownerLabel = publication.ownerLabel
            status.itemCount = UInt32(clamping: indices.count)
            status.types =
                indices.first.map { index in
                    publication.items[index].representations
                        .filter { viewer.sees($0.visibility, of: publication.writer) }.map(\.type)
                } ?? []
            let other = session.phase.tracking?.destinationSession ?? session.phase.drop?.destinationSession
            if let other = other.flatMap({ destinationSessions[$0] }),
                let destination = destinations[other.destination], destination.isVisible(to: viewer.process)
            {
                status.destination = destination.name
            }
            status.operation = (session.phase.drop?.operation ?? session.phase.tracking?.operation)?.rawValue
            status.milliseconds = now - session.startedAt
            var entry = StatusEntry()
            entry.session = status
            return entry
        }
    }

    func destinationEntries(for viewer: Viewer) -> [StatusEntry] {
        destinationNames.sorted { $0.key < $1.key }.compactMap { name, id in
            guard let destination = destinations[id], let peer = peers[destination.peer],
                destination.isVisible(to: viewer.process)
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
