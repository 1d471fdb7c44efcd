package import BrokerState
package import PasteboardWire

// Requests of the tests of watches and created boards.
extension StateHarness {
    /// Watches a board, by default with much credit, and returns the stream.
    package func watch(
        _ board: String? = nil,
        since: UInt64? = nil,
        epoch: UInt64? = nil,
        credit: UInt64? = 1_000_000,
        from peer: PeerID
    ) -> UInt64 {
        var watch = Watch()
        watch.board = board
        watch.requires = [Feature.watches.rawValue]
        return open(watch, since, epoch, credit, from: peer)
    }

    /// Watches all boards, by default with much credit, and returns the stream.
    package func watchAll(
        since: UInt64? = nil,
        epoch: UInt64? = nil,
        credit: UInt64? = 1_000_000,
        from peer: PeerID
    ) -> UInt64 {
        var watch = Watch()
        watch.allBoards = true
        watch.requires = [Feature.allBoards.rawValue]
        return open(watch, since, epoch, credit, from: peer)
    }

    private func open(
        _ watch: Watch,
        _ since: UInt64?,
        _ epoch: UInt64?,
        _ credit: UInt64?,
        from peer: PeerID
    ) -> UInt64 {
        var watch = watch
        (watch.sinceChangeCount, watch.sinceEpoch, watch.credit) = (since, epoch, credit)
        let stream = newStream(of: peer)
        send(watch, on: stream, from: peer)
        return stream
    }

    /// Creates a board, and returns its stream and its name.
    package func createBoard(from peer: PeerID) -> (stream: UInt64, name: String) {
        var request = CreateBoard()
        request.requires = [Feature.boards.rawValue]
        let stream = newStream(of: peer)
        _ = take(peer)
        send(request, on: stream, from: peer)
        return (stream, take(peer).on(stream).first(Registered.self)?.name ?? "")
    }

    /// The changes that a peer was sent on a stream since the last call that took its frames.
    package func takeChanges(_ peer: PeerID, on stream: UInt64) -> [Change] {
        take(peer).on(stream).all(Change.self)
    }
}
