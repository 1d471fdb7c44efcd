import PasteboardWire

// Loads of kept bytes, whose source is the broker itself.
extension Loads {
    /// Whether `nextKeptChunk` may return a chunk.
    var hasReadyKept: Bool { !readyLoads.isEmpty || !readyCaches.isEmpty }

    /// The next chunk of kept bytes that may be sent, one data frame at most; nil if there is none. The driver puts it
    /// into the destination's queue and calls `delivered` when the socket has taken it.
    mutating func nextKeptChunk(in world: inout World) -> KeptChunk? {
        wakeReaders(&world.context)
        while let id = readyLoads.last {
            guard let slot = loadTable.find(id), !loadTable[slot].phase.isDelivering,
                case .kept(let kept) = loadTable[slot].source, let state = world.contents.kept(kept),
                case .destination(let destination, let stream) = loadTable[slot].receiver
            else {
                readyLoads.removeLast()
                continue
            }
            let (total, size) = (state.count, max(state.count, state.announced ?? 0))
            if let maximum = loadTable[slot].maximumByteCount, size > maximum {
                readyLoads.removeLast()
                fail(slot, .tooLarge(byteCount: size, maximum: maximum), in: &world)
                continue
            }
            let start = loadTable[slot].window.received
            let end = min(loadTable[slot].window.granted, total)
            // Without credit too: the destination may decide by the answer whether it grants some.
            if state.isWhole || state.isAnnounced { answerIfNeeded(slot, in: &world) }
            // The end of a cached load may become known after the last of its bytes has been sent.
            guard start < end || (state.isWhole && start == total) else {
                readyLoads.removeLast()
                continue
            }
            answerIfNeeded(slot, in: &world)
            let count = min(end - start, UInt64(frameLength(for: destination)))
            let last = state.isWhole && start + count == total
            if loadTable[slot].window.isDelivered { loadTable[slot].takenAt = world.context.now }
            loadTable[slot].window.receive(count)
            loadTable[slot].phase = .flowing
            loadTable[slot].activeAt = world.context.now
            if !loadTable[slot].isConcealed { world.context.counters.relayedBytes += count }
            world.context.cost += Cost.frame + Int(clamping: count) / Cost.bytes
            if last { readyLoads.removeLast() }
            return KeptChunk(
                kept: kept,
                offset: start,
                count: Int(clamping: count),
                destination: destination,
                stream: stream,
                load: id,
                last: last
            )
        }
        return nil
    }

    /// The last chunk of a load has been put into its destination's queue, its descriptor has been taken by the socket,
    /// or the destination receives no more output.
    mutating func keptLoadQueued(_ id: LoadID, in world: inout World) {
        world.context.counters.loadsDone += 1
        guard let slot = loadTable.find(id) else { return }
        end(slot, in: &world)
    }

    /// The memory of a chunk could not be read.
    mutating func keptReadFailed(_ id: LoadID, reason: String, in world: inout World) {
        guard let slot = loadTable.find(id) else { return }
        fail(slot, .unreadable(reason), in: &world)
        // The chunk will never be delivered.
        if let slot = loadTable.find(id) { release(slot, &world.context) }
    }
}
