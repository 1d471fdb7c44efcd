import PasteboardWire

// Client streams: odd ids that only grow, each with a target while it is open.
extension Peers {
    @inline(__always)
    mutating func open(_ stream: UInt64, by slot: Slot) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream > peerTable[slot].highestStream else {
            throw Failure(.protocolViolation, "stream \(stream) cannot be opened: ids are odd and must increase")
        }
        peerTable[slot].highestStream = stream
    }

    /// Throws if the client never opened the stream.
    func checkIsLate(_ stream: UInt64, at slot: Slot) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream <= peerTable[slot].highestStream else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
    }

    /// The target of a stream; nil if the stream is over or was never opened.
    func knownTarget(of stream: UInt64, at slot: Slot) -> StreamTarget? {
        peerTable[slot].streams[stream]
    }

    /// Sets the target of a stream, if the peer still exists; nil closes the stream.
    mutating func setTarget(_ target: StreamTarget?, of stream: UInt64, at id: PeerID) {
        guard let slot = find(id) else { return }
        peerTable[slot].streams[stream] = target
    }

    /// The report that is being sent to a peer.
    func report(of id: PeerID) -> Report? {
        guard let slot = find(id) else { return nil }
        for target in peerTable[slot].streams.values {
            if case .report(let report) = target { return report }
        }
        return nil
    }

    /// Treats a stream as opened and closed: frames on it are late from now on.
    mutating func skip(_ stream: UInt64, at slot: Slot) {
        peerTable[slot].highestStream = max(peerTable[slot].highestStream, stream)
    }

    /// The targets of all open streams of a peer, in the order in which they were opened.
    func targets(at id: PeerID) -> [StreamTarget] {
        guard let slot = find(id) else { return [] }
        return peerTable[slot].streams.sorted { $0.key < $1.key }.map(\.value)
    }
}
