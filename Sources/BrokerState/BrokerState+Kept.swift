import PasteboardWire

// The driver's reports about kept bytes, and the chunks of them that it sends.
extension BrokerState {
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
