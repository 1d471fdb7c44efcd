import PasteboardWire

// The destination's frames, and every way in which a load ends.
extension Loads {
    // MARK: Frames of the destination

    /// Handles credit for a load. False if the peer has no open load on the stream.
    mutating func credit(on stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID, in world: inout World) -> Bool {
        guard let slot = load(on: stream, of: peer) else { return false }
        do throws(Failure) {
            let offset = try Credit(decoding: payload).offset ?? 0
            if loadTable[slot].window.allow(offset) { grant(slot, &world.context) }
        } catch {
            fail(slot, with: error, notifiesSource: true, in: &world)
        }
        return true
    }

    /// Ends a load that its destination no longer wants. False if the peer has no open load on the stream.
    ///
    /// - Parameter kind: `cancel`, or `error` with the same effect.
    mutating func cancel(
        by kind: FrameKind,
        on stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        in world: inout World
    ) throws(Failure) -> Bool {
        guard let slot = load(on: stream, of: peer) else { return false }
        try Cancel.check(payload, of: kind)
        abandon(slot, .cancelled, in: &world)
        return true
    }

    /// Ends a load without notifying its destination.
    private mutating func abandon(_ slot: Slot, _ cause: LoadFailure, in world: inout World) {
        cancelAtSource(slot, &world.context)
        if !loadTable[slot].phase.isDelivering { world.context.counters.loadsFailed += 1 }
        end(slot, with: cause.failure(from: sourceName(of: slot), world.context), in: &world)
    }

    // MARK: Failures

    mutating func fail(_ slot: Slot, _ cause: LoadFailure, notifiesSource: Bool = false, in world: inout World) {
        let failure = cause.failure(from: sourceName(of: slot), world.context)
        fail(slot, with: failure, notifiesSource: notifiesSource, in: &world)
    }

    /// Ends a load with an error.
    ///
    /// - Parameter notifiesSource: whether the source is sent a cancel, because it did not cause the end.
    mutating func fail(_ slot: Slot, with failure: Failure, notifiesSource: Bool = false, in world: inout World) {
        switch loadTable[slot].phase {
        // The end of the load, or its descriptor, is already in the destination's queue.
        case .delivering, .passing: return
        case .queued, .asked, .flowing: break
        }
        if notifiesSource { cancelAtSource(slot, &world.context) }
        switch loadTable[slot].receiver {
        case .cache(let kept):
            failCache(kept, failure, in: &world)
        case .destination(let peer, let stream):
            world.context.send(failure, to: peer, stream: stream, order: loadTable[slot].order)
            world.context.counters.loadsFailed += 1
            end(slot, with: failure, in: &world)
        }
    }

    /// Ends a load on a peer's stream with an error. False if the peer has no open load on the stream.
    mutating func fail(on stream: UInt64, of peer: PeerID, with failure: Failure, in world: inout World) -> Bool {
        guard let slot = load(on: stream, of: peer) else { return false }
        fail(slot, with: failure, notifiesSource: true, in: &world)
        return true
    }

    /// Ends several loads with an error. Those that wait end first; otherwise the end of one would start the next.
    mutating func failAll(with failure: Failure, in world: inout World, where isMeant: (borrowing ActiveLoad) -> Bool) {
        world.context.cost += count / Cost.walkedLoads
        var meant: [LoadID] = []
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) {
            if isMeant(loadTable[slot]) { meant.append(loadTable.id(of: slot)) }
        }
        for id in meant {
            guard let slot = loadTable.find(id), loadTable[slot].phase.isQueued else { continue }
            fail(slot, with: failure, in: &world)
        }
        for id in meant {
            guard let slot = loadTable.find(id) else { continue }
            fail(slot, with: failure, notifiesSource: true, in: &world)
        }
    }

    /// Ends the loads of a publication whose bytes its source would have to send.
    mutating func failPromised(of publication: PublicationID, with failure: Failure, in world: inout World) {
        failAll(with: failure, in: &world) { load in
            guard case .peer = load.source else { return false }
            return load.publication == publication
        }
    }

    /// Ends all loads of a publication to destinations.
    mutating func failAll(of publication: PublicationID, with failure: Failure, in world: inout World) {
        failAll(with: failure, in: &world) { $0.publication == publication && !$0.isCaching }
    }

    /// Ends the loads of a peer whose connection has ended. Loads that ask it for bytes end with an error for their
    /// destinations.
    ///
    /// - Parameter link: the label of the peer if it is a link.
    mutating func peerLeft(_ peer: PeerID, link: String? = nil, in world: inout World) {
        guard let peerLoads = peerLoads(of: peer), peerLoadsTable[peerLoads].isBusy else { return }
        peerLoadsTable[peerLoads].places.setLimit(0)
        world.context.cost += count / Cost.walkedLoads
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) {
            let id = loadTable.id(of: slot)
            if case .destination(peer, _) = loadTable[slot].receiver {
                abandon(slot, .destinationGone, in: &world)
                if let slot = loadTable.find(id) { release(slot, &world.context) }
            } else if case .peer(peer) = loadTable[slot].source {
                let (received, declared) = (loadTable[slot].window.received, loadTable[slot].declaredByteCount)
                let cause =
                    link.map { LoadFailure.linkDown($0, received: received) }
                    ?? .sourceGone(received: received, declared: declared)
                fail(slot, cause, in: &world)
            }
        }
    }

    // MARK: The end

    mutating func cancelAtSource(_ slot: Slot, _ context: inout BrokerContext) {
        guard case .peer(let source) = loadTable[slot].source, loadTable[slot].phase.hasPlace else { return }
        context.send(Cancel(), to: source, stream: loadTable.id(of: slot).askStream)
    }

    /// Ends a load for both sides, and starts the next one at its source. The load is charged until the destination's
    /// socket has taken the bytes that arrived, so that a destination that does not read gets no room for more.
    ///
    /// - Parameters:
    ///   - failure: nil if all bytes have arrived.
    ///   - isDescriptor: whether the load is a descriptor that waits for the socket.
    mutating func end(_ slot: Slot, with failure: Failure? = nil, isDescriptor: Bool = false, in world: inout World) {
        let phase = loadTable[slot].phase
        guard !phase.isDelivering else { return }
        loadTable[slot].window.close()
        let rest: LoadPhase.Rest = isDescriptor || phase.isPassing ? .descriptor : .bytes
        loadTable[slot].phase = .delivering(rest)
        loadTable[slot].takenAt = world.context.now
        removeFromList(slot)
        leaveSource(slot, wasQueued: phase.isQueued, in: &world)
        if loadTable[slot].isCounted, rest == .bytes {
            loadTable[slot].isCounted = false
            let isUsed = failure == nil || loadTable[slot].window.received > 0
            report(.counted(loadTable[slot].publication, loadTable[slot].part, isUsed: isUsed))
        }
        if let publication = world.contents.find(loadTable[slot].publication) {
            if let session = world.contents[publication].session, !loadTable[slot].isCaching {
                report(.ended(session, loadTable[slot].part, failure))
            }
            world.contents.release(publication, &world.context)
        }
        if rest == .bytes, loadTable[slot].window.isDelivered { release(slot, &world.context) }
    }

    @inline(__always)
    private mutating func leaveSource(_ slot: Slot, wasQueued: Bool, in world: inout World) {
        switch loadTable[slot].source {
        case .kept(let kept):
            leaveCache(kept, in: &world)
        case .peer(let source):
            guard let peerLoads = peerLoads(of: source) else { return }
            let account = loadTable[slot].charge.account
            guard !wasQueued else {
                return peerLoadsTable[peerLoads].places.remove(loadTable.id(of: slot), of: account)
            }
            peerLoadsTable[peerLoads].places.giveBack(by: account)
            peerLoadsTable[peerLoads].sentBytes &+= loadTable[slot].window.received
            peerLoadsTable[peerLoads].servedAt = world.context.now
            askNext(of: peerLoads, in: &world)
        }
    }

    /// Takes a load out of its destination's list.
    @inline(__always)
    private mutating func removeFromList(_ slot: Slot) {
        guard let destination = destination(of: slot) else { return }
        let (newer, older) = (loadTable[slot].newer, loadTable[slot].older)
        if let slot = loadTable.find(newer) {
            loadTable[slot].older = older
        } else {
            peerLoadsTable[destination].newest = older
        }
        if let slot = loadTable.find(older) { loadTable[slot].newer = newer }
    }

    /// Removes a load that has ended, and releases everything that it still holds.
    mutating func release(_ slot: Slot, _ context: inout BrokerContext) {
        let load = loadTable.remove(slot)
        // Whether the socket has taken the descriptor.
        if load.isCounted {
            let isUsed = load.phase.isDelivering && !load.phase.holdsDescriptor
            report(.counted(load.publication, load.part, isUsed: isUsed))
        }
        if load.expectsDescriptor { expectedDescriptors -= 1 }
        if load.isCaching {
            context.release(load.charge)
        } else {
            context.accounting.releaseLoad(load.charge, window: load.window.size)
        }
        guard case .destination(let peer, _) = load.receiver, let peerLoads = peerLoads(of: peer) else { return }
        peerLoadsTable[peerLoads].openLoads -= 1
        peerLoadsTable[peerLoads].receivedBytes &+= load.window.delivered
    }
}
