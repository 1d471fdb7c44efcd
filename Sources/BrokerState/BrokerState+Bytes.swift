import PasteboardWire

// Bytes in transfer, and the driver's reports about them. Nothing here allocates for a frame.
extension BrokerState {
    /// Takes `count` bytes of a data frame, the last of their sequence if `last` is set. The verdict says where the
    /// driver moves them. An urgent outbox is performed before that; the load's answer only has to precede the bytes at
    /// the socket.
    package mutating func relay(stream: UInt64, count: Int, last: Bool, from peer: PeerID) -> RelayVerdict {
        guard let slot = peers.find(peer) else { return .closing }
        world.context.cost += Cost.frame
        do throws(Failure) {
            guard !peers.awaitsHello(slot) else { throw Failure(.protocolViolation, "hello has to be the first frame") }
            guard StreamID(stream).isOpenedByBroker else {
                return try receive(count, last: last, on: PeerStream(id: stream, peer: peer, slot: slot))
            }
            let verdict = try loads.receive(on: stream, count: count, last: last, from: peer, in: &world)
            reportLoads()
            return verdict
        } catch {
            reportLoads()
            violation(by: peer, error)
            return .closing
        }
    }

    /// Takes data on a stream that the client opened: bytes of the next kept representation of a write.
    private mutating func receive(_ count: Int, last: Bool, on stream: PeerStream) throws(Failure) -> RelayVerdict {
        guard case .write(let id)? = peers.knownTarget(of: stream.id, at: stream.slot) else {
            try checkHasEnded(stream, for: .data)
            return .drop
        }
        do throws(Failure) {
            let kept = try world.contents.receive(UInt64(count), last: last, for: id, &world.context)
            refuseDisplaced()
            return .keep(kept)
        } catch {
            guard error.code != .protocolViolation else { throw error }
            refuse(id, error)
            return .drop
        }
    }

    /// The destination's socket has taken bytes of a load or its descriptor.
    package mutating func delivered(_ id: LoadID, count: Int) {
        loads.delivered(id, count: count, in: &world)
        reportLoads()
    }

    /// The system did not pass a descriptor on, and its frame has been dropped.
    package mutating func passingRefused(_ id: LoadID) {
        loads.passingRefused(id, in: &world)
        reportLoads()
    }

    // MARK: Kept bytes

    /// Whether `nextKeptChunk` may return a chunk.
    package var hasReadyKept: Bool { mutating get { loads.hasReadyKept } }

    /// The next chunk of kept bytes that may be sent, one data frame at most; nil if there is none. The driver puts it
    /// into the destination's queue and calls `delivered` when the socket has taken it.
    package mutating func nextKeptChunk() -> KeptChunk? {
        guard loads.hasReadyKept else { return nil }
        let chunk = loads.nextKeptChunk(in: &world)
        reportLoads()
        return chunk
    }

    /// The last chunk of a load has been put into its destination's queue, or the destination receives no more output.
    package mutating func keptLoadQueued(_ id: LoadID) {
        loads.keptLoadQueued(id, in: &world)
        reportLoads()
    }

    /// The memory of a chunk could not be read.
    package mutating func keptReadFailed(_ id: LoadID, reason: String) {
        loads.keptReadFailed(id, reason: reason, in: &world)
        reportLoads()
    }

    /// Bytes of a cached load have been stored and can be read. If `last` is set, these were the last ones.
    package mutating func stored(_ kept: KeptID, count: Int, last: Bool) {
        loads.stored(kept, count: count, last: last, in: &world)
        reportLoads()
        makeRoom()
    }

    /// The memory of kept bytes could not be created or written.
    package mutating func keptWriteFailed(_ kept: KeptID, reason: String) {
        if loads.keptWriteFailed(kept, reason: reason, in: &world) { return reportLoads() }
        guard let write = world.contents.write(with: kept) else { return }
        refuse(write, Failure(.noSpace, "the broker cannot keep the bytes: \(reason)"))
    }
}
