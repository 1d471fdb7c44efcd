import PasteboardWire

/// One request to a source whose bytes are kept, and the loads that read them.
///
/// The broker is the source's only reader. It stores the bytes, and each load reads them from there at its own pace and
/// with its own credit, so that a slow reader does not delay the others and a late one misses nothing.
struct CachedLoad: Sendable {
    /// The request, which is a load whose receiver is the cache.
    let request: LoadID
    /// Loads that have joined; some of them may be over.
    var readers: [LoadID] = []
    /// The number of readers that are not over. With the last one the cached load ends.
    var openReaders = 0
    /// Whether the readers are to be woken, because bytes or their number have arrived.
    var isReady = false
}

extension Loads {
    // MARK: Beginning

    /// Prepares the request for a representation that is to be kept. The source is asked when the first reader has
    /// joined.
    ///
    /// - Parameter account: the account in whose line of the source's queue the request waits.
    mutating func beginCache(
        of offer: Offer,
        from source: PeerID,
        for account: Accounting.AccountID,
        in world: inout World
    ) -> KeptID {
        let kept = world.contents.beginCache(offer.part, of: offer.publication, &world.context)
        let id = loadTable.insert(
            ActiveLoad(
                window: CreditWindow(credit: .max),
                receiver: .cache(kept),
                source: .peer(source),
                publication: offer.publication,
                part: offer.part,
                visibleItem: offer.part.item,
                visibleCount: 0,
                // Without an amount: the representation itself was charged, and there is one request for it at most.
                charge: Charge(account: account),
                startedAt: world.context.now,
                endsBy: nil,
                firstByte: offer.firstByte,
                maximumByteCount: nil,
                isDescriptorWelcome: false,
                isInPlaceWelcome: false,
                declaredByteCount: offer.announced
            )
        )
        world.contents.hold(offer.publication, &world.context)
        cachedLoads[kept] = CachedLoad(request: id)
        return kept
    }

    /// Makes a load a reader of bytes that are being kept. The source is asked for the first reader.
    mutating func join(_ kept: KeptID, _ reader: LoadID, in world: inout World) {
        // Most kept bytes are complete.
        guard !cachedLoads.isEmpty, cachedLoads[kept] != nil else { return }
        // In place: a copy of the record would copy the list at each join.
        cachedLoads[kept]?.readers.append(reader)
        cachedLoads[kept]?.openReaders += 1
        guard let cached = cachedLoads[kept] else { return }
        if cached.readers.count > 2 * cached.openReaders + 31 {
            let open = cached.readers.filter { isOpen($0) }
            cachedLoads[kept]?.readers = open
        }
        if cached.openReaders == 1, let slot = loadTable.find(cached.request) { enqueue(slot, in: &world) }
    }

    private func isOpen(_ id: LoadID) -> Bool {
        guard let slot = loadTable.find(id) else { return false }
        return !loadTable[slot].phase.isDelivering
    }

    // MARK: Bytes

    /// Receives bytes of a cached load, within its credit.
    mutating func receive(
        _ count: UInt64,
        last: Bool,
        into kept: KeptID,
        of slot: Slot,
        in world: inout World
    ) -> RelayVerdict {
        do throws(Failure) {
            let total = (world.contents.kept(kept)?.count ?? 0).addingClamped(count)
            try world.contents.chargeKept(kept, for: total, &world.context)
        } catch {
            fail(slot, with: error, notifiesSource: !last, in: &world)
            return .drop
        }
        if world.contents.kept(kept)?.isConcealed == false { world.context.counters.keptBytes += count }
        loadTable[slot].receive(count, at: world.context.now)
        world.context.check(in: world.context.limits.progress)
        return .cache(kept, last: last)
    }

    /// Bytes of a cached load have been stored and can be read.
    mutating func stored(_ kept: KeptID, count: Int, last: Bool, in world: inout World) {
        guard let request = cachedLoads[kept]?.request else { return }
        world.contents.stored(UInt64(count), in: kept)
        if last { completeCache(kept, in: &world) } else { markReady(kept) }
        delivered(request, count: count, in: &world)
    }

    /// Lets the readers be woken when all input has been taken. Waking them for each chunk would cost too much if there
    /// are many of both.
    private mutating func markReady(_ kept: KeptID) {
        guard cachedLoads[kept]?.isReady == false else { return }
        cachedLoads[kept]?.isReady = true
        readyCaches.append(kept)
    }

    mutating func wakeReaders(_ context: inout BrokerContext) {
        // Checked first: `popLast` of an empty array makes a new one.
        while !readyCaches.isEmpty {
            let kept = readyCaches.removeLast()
            guard let readers = cachedLoads[kept]?.readers else { continue }
            cachedLoads[kept]?.isReady = false
            context.cost += readers.count / Cost.walkedLoads
            readyLoads.append(contentsOf: readers)
        }
    }

    mutating func cacheAnswered(_ kept: KeptID, _ slot: Slot, _ answer: Answer, in world: inout World) {
        do throws(Failure) {
            try world.contents.announce(answer, for: kept, &world.context)
        } catch {
            return fail(slot, with: error, notifiesSource: true, in: &world)
        }
        markReady(kept)
    }

    // MARK: Ends

    /// Ends a cached load whose bytes have all arrived. They are ordinary kept bytes from now on, which the readers
    /// read to the end.
    mutating func completeCache(_ kept: KeptID, in world: inout World) {
        guard let cached = cachedLoads.removeValue(forKey: kept), let slot = loadTable.find(cached.request) else {
            return
        }
        let (part, publication) = (loadTable[slot].part, loadTable[slot].publication)
        world.contents.endCache(kept, part, of: publication, isWhole: true, &world.context)
        readyLoads.append(contentsOf: cached.readers)
        end(slot, in: &world)
    }

    /// Ends a cached load with an error, for all readers. A later load asks the source again.
    mutating func failCache(_ kept: KeptID, _ failure: Failure, in world: inout World) {
        // Removed first, so that the readers that end do not end it once more.
        guard let cached = cachedLoads.removeValue(forKey: kept) else { return }
        for reader in cached.readers {
            if let slot = loadTable.find(reader) { fail(slot, with: failure, in: &world) }
        }
        drop(kept, cached, in: &world)
    }

    /// Removes a reader that has ended. The cached load ends with its last reader.
    mutating func leaveCache(_ kept: KeptID, in world: inout World) {
        guard !cachedLoads.isEmpty, let openReaders = cachedLoads[kept]?.openReaders else { return }
        cachedLoads[kept]?.openReaders = openReaders - 1
        guard openReaders == 1, let cached = cachedLoads.removeValue(forKey: kept) else { return }
        if let slot = loadTable.find(cached.request) { cancelAtSource(slot, &world.context) }
        drop(kept, cached, in: &world)
    }

    private mutating func drop(_ kept: KeptID, _ cached: CachedLoad, in world: inout World) {
        if let slot = loadTable.find(cached.request) {
            let (part, publication) = (loadTable[slot].part, loadTable[slot].publication)
            world.contents.endCache(kept, part, of: publication, isWhole: false, &world.context)
            end(slot, in: &world)
        }
        // The last bytes that arrived may not have been stored, and nothing waits for them.
        if let slot = loadTable.find(cached.request) { release(slot, &world.context) }
        world.contents.releaseKept([kept], &world.context)
    }

    /// Ends a cached load whose bytes the driver could not store. False if the bytes belong to no cached load.
    mutating func keptWriteFailed(_ kept: KeptID, reason: String, in world: inout World) -> Bool {
        guard let request = cachedLoads[kept]?.request else { return false }
        if let slot = loadTable.find(request) { fail(slot, .unstorable(reason), notifiesSource: true, in: &world) }
        return true
    }
}
