package import BrokerState
package import PasteboardWire

// Requests of tests of drag sessions.
extension StateHarness {
    /// Registers a destination that accepts everything or the given types, and returns its stream.
    @discardableResult
    package func register(
        _ name: String = "shelf",
        accepting types: [String] = [],
        from peer: PeerID,
        _ configure: (inout Destination) -> Void = { _ in }
    ) -> UInt64 {
        var destination = Destination()
        destination.name = name
        destination.accepts = types.map { Accept($0) }
        configure(&destination)
        let stream = newStream(of: peer)
        send(destination, on: stream, from: peer)
        return stream
    }

    /// Offers a session with items without beginning it, and returns its stream.
    @discardableResult
    package func offer(
        _ items: [Item] = [Item("public.text")],
        from peer: PeerID,
        _ configure: (inout Drag) -> Void = { _ in }
    ) -> UInt64 {
        var drag = Drag()
        configure(&drag)
        let stream = newStream(of: peer)
        send(drag, on: stream, from: peer)
        for item in items { send(item, on: stream, from: peer) }
        commit(items.count, on: stream, from: peer)
        return stream
    }

    /// Begins a session, and returns its stream and handle.
    package func drag(
        _ items: [Item] = [Item("public.text")],
        from peer: PeerID,
        _ configure: (inout Drag) -> Void = { _ in }
    ) -> (stream: UInt64, handle: UInt64) {
        let stream = offer(items, from: peer, configure)
        let handle = take(peer).on(stream).first(Committed.self)?.handle ?? 0
        send(Begin(), on: stream, from: peer)
        return (stream, handle)
    }

    package func move(_ drag: UInt64, to name: String?, row: UInt32? = nil, sequence: UInt64 = 1, from peer: PeerID) {
        var move = Move()
        move.sequence = sequence
        if let name {
            var location = Location()
            location.destination = name
            if let row { location.indexPath = [0, row] }
            move.location = location
        }
        send(move, on: drag, from: peer)
    }

    package func propose(
        _ operation: DropOperation,
        to sequence: UInt64,
        on stream: UInt64,
        from peer: PeerID,
        _ configure: (inout Proposal) -> Void = { _ in }
    ) {
        var proposal = Proposal()
        proposal.sequence = sequence
        proposal.operation = operation
        configure(&proposal)
        send(proposal, on: stream, from: peer)
    }
}
