import PasteboardWire

// The beginning of a load: its record, its place at the source, and the request to the source.
extension Loads {
    /// Throws if a connection has the maximum number of loads.
    @inline(__always)
    mutating func checkRoom(for destination: PeerID, limit: UInt64) throws(Failure) {
        guard let peerLoads = peerLoads(of: destination) else { return }
        let openLoads = peerLoadsTable[peerLoads].openLoads
        guard UInt64(openLoads) < limit else {
            let text = "the connection has \(openLoads) loads open; limit loads-per-connection is \(limit)"
            throw Failure(.limitExceeded, text)
        }
    }

    mutating func begin(_ terms: LoadTerms, _ offer: Offer, in world: inout World) throws(Failure) {
        guard let peerLoads = peerLoads(of: terms.destination) else { return }
        let charge = try world.context.accounting.chargeLoad(to: terms.account)
        let source: ActiveLoad.Source
        switch offer.provision {
        case .promised(let peer): source = .peer(peer)
        case .kept(let kept): source = .kept(kept)
        case .promisedOnce(let peer): source = .kept(beginCache(of: offer, from: peer, for: terms.account, in: &world))
        }
        var load = ActiveLoad(
            window: CreditWindow(credit: terms.credit),
            receiver: .destination(terms.destination, stream: terms.stream),
            source: source,
            publication: offer.publication,
            part: offer.part,
            visibleItem: offer.visibleItem,
            visibleCount: offer.visibleCount,
            charge: charge,
            startedAt: world.context.now,
            endsBy: terms.deadline(at: world.context.now, longest: world.context.limits.longestLoad),
            firstByte: offer.firstByte,
            maximumByteCount: terms.maximumByteCount,
            isDescriptorWelcome: terms.isDescriptorWelcome && peerLoadsTable[peerLoads].passesDescriptors
                && !offer.isConcealed,
            isInPlaceWelcome: terms.isInPlaceWelcome && offer.mayOpenInPlace,
            declaredByteCount: offer.byteCount
        )
        load.isCounted = offer.isCounted
        load.isConcealed = offer.isConcealed
        load.older = peerLoadsTable[peerLoads].newest
        if let endsBy = load.endsBy { world.context.check(by: endsBy) }
        let id = loadTable.insert(load)
        world.contents.hold(offer.publication, &world.context)
        if offer.isConcealed { conceal(offer, for: terms.destination, &world.context) }
        if offer.isCounted { world.contents.beginCounted(offer.part, of: offer.publication) }
        peerLoadsTable[peerLoads].newest = id
        peerLoadsTable[peerLoads].openLoads += 1
        world.context.counters.loads += 1
        guard let slot = loadTable.find(id) else { return }
        if let older = loadTable.find(loadTable[slot].older) { loadTable[older].newer = id }
        switch source {
        case .peer: enqueue(slot, in: &world)
        case .kept(let kept):
            guard !isPassed(kept, to: slot, world.contents) else { return pass(slot, .kept(kept), in: &world) }
            start(slot, in: &world)
            join(kept, id, in: &world)
        }
    }

    /// Lets the driver overwrite the buffers through which the bytes of a load pass.
    private func conceal(_ offer: Offer, for destination: PeerID, _ context: inout BrokerContext) {
        context.perform(.conceal(destination))
        switch offer.provision {
        case .promised(let source), .promisedOnce(let source): context.perform(.conceal(source))
        case .kept: break
        }
    }

    /// Asks the source, or lets the load wait for a place there.
    mutating func enqueue(_ slot: Slot, in world: inout World) {
        guard let source = source(of: slot) else { return }
        let account = loadTable[slot].charge.account
        guard !peerLoadsTable[source].places.take(for: account) else { return start(slot, in: &world) }
        let count = peerLoadsTable[source].places.waitingCount
        if UInt64(count) >= world.context.limits.waitingPerSource {
            let displaced = peerLoadsTable[source].places.displaced(by: account).flatMap { loadTable.find($0) }
            fail(displaced ?? slot, .queueFull(count: count), in: &world)
            guard displaced != nil else { return }
        }
        peerLoadsTable[source].places.append(loadTable.id(of: slot), of: account, at: world.context.now)
        // Loads that have places at the source have to make progress from now on.
        world.context.check(in: min(loadTable[slot].firstByte, world.context.limits.progress / 10))
    }

    /// Starts the loads that may have a place at their source now.
    @inline(__always)
    mutating func askNext(of peerLoads: PeerSlot, in world: inout World) {
        // Checked first: in most cases none waits, and a call of `next` would be wasted.
        while peerLoadsTable[peerLoads].places.isAwaited, let next = peerLoadsTable[peerLoads].places.next() {
            if let slot = loadTable.find(next) { start(slot, in: &world) }
        }
    }

    /// Asks the source of a load. Kept bytes are ready to be sent.
    mutating func start(_ slot: Slot, in world: inout World) {
        widen(slot, &world.context)
        let granted = loadTable[slot].window.open(available: loadTable[slot].available)
        loadTable[slot].ask(at: world.context.now)
        let id = loadTable.id(of: slot)
        guard case .peer(let source) = loadTable[slot].source, let peerLoads = peerLoads(of: source) else {
            readyLoads.append(id)
            return
        }
        expectDescriptor(for: slot, from: peerLoads, &world.context)
        world.context.check(in: min(loadTable[slot].firstByte, world.context.limits.progress))
        let part = loadTable[slot].part
        // The load holds its contents, so they are there.
        guard let offered = world.contents.find(loadTable[slot].publication) else { return }
        let endsBy = loadTable[slot].endsBy
        let expectsDescriptor = loadTable[slot].expectsDescriptor
        let ask = AskNumbers(
            handle: world.contents[offered].handle,
            item: part.item,
            representation: part.representation,
            credit: granted,
            maximumByteCount: loadTable[slot].maximumByteCount,
            descriptorWelcome: expectsDescriptor,
            firstByteMilliseconds: endsBy.map { $0 - min($0, world.context.now) } ?? loadTable[slot].firstByte,
            inPlaceWelcome: expectsDescriptor && loadTable[slot].isInPlaceWelcome
        )
        let type = world.contents[offered].typeNames.span.extracting(world.contents[offered].typeRange(of: part))
        world.context.outbox.send(ask, type: type, to: source, stream: id.askStream)
    }

    /// Decides whether a source may answer a load with a descriptor.
    ///
    /// Each descriptor in transfer is open in the broker until the destination's socket has taken it. If there are too
    /// many, bytes are sent inline.
    @inline(__always)
    private mutating func expectDescriptor(for slot: Slot, from source: PeerSlot, _ context: inout BrokerContext) {
        guard loadTable[slot].isDescriptorWelcome, peerLoadsTable[source].passesDescriptors,
            expectedDescriptors.addingClamped(context.unclosedDescriptors) < context.limits.passedDescriptors
        else { return }
        expectedDescriptors += 1
        loadTable[slot].expectsDescriptor = true
    }
}

extension LoadTerms {
    fileprivate func deadline(at now: UInt64, longest: UInt64) -> UInt64? {
        guard let timeoutMilliseconds else { return nil }
        return now.addingClamped(timeoutMilliseconds == 0 ? longest : min(timeoutMilliseconds, longest))
    }
}
