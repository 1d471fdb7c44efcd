import PasteboardWire

// Frames of a source, and the flow of bytes from it to the destination.
extension Loads {
    // MARK: Bytes

    /// Receives `count` bytes of a load, the last ones if `last` is set. Throws if they break the protocol.
    mutating func receive(
        on stream: UInt64,
        count: Int,
        last: Bool,
        from peer: PeerID,
        in world: inout World
    ) throws(Failure) -> RelayVerdict {
        guard let slot = try ask(on: stream, of: peer) else { return .drop }
        let received = loadTable[slot].window.received + UInt64(count)
        guard received <= loadTable[slot].window.granted else {
            let granted = loadTable[slot].window.granted
            fail(slot, .beyondCredit(sent: received, granted: granted), in: &world)
            throw Failure(.protocolViolation, LoadFailure.creditText(sent: received, granted: granted))
        }
        if let maximum = loadTable[slot].maximumByteCount, received > maximum {
            fail(slot, .moreThanMaximum(maximum), notifiesSource: !last, in: &world)
            return .drop
        }
        if let declared = loadTable[slot].declaredByteCount {
            if received > declared {
                fail(slot, .beyondDeclared(declared), notifiesSource: !last, in: &world)
                return .drop
            }
            if last, received < declared {
                fail(slot, .truncated(received: received, declared: declared), in: &world)
                return .drop
            }
        }
        // Passing on empty frames would send the destination frames that its credit does not limit.
        if count == 0, !last { return .drop }
        switch loadTable[slot].receiver {
        case .cache(let kept):
            return receive(UInt64(count), last: last, into: kept, of: slot, in: &world)
        case .destination(let destination, let stream):
            return forward(count, last: last, of: slot, to: destination, stream, in: &world)
        }
    }

    private mutating func forward(
        _ count: Int,
        last: Bool,
        of slot: Slot,
        to destination: PeerID,
        _ stream: UInt64,
        in world: inout World
    ) -> RelayVerdict {
        answerIfNeeded(slot, in: &world)
        if !loadTable[slot].isConcealed { world.context.counters.relayedBytes += UInt64(count) }
        let verdict = RelayVerdict.forward(
            to: destination,
            stream: stream,
            load: loadTable.id(of: slot),
            frameLength: frameLength(for: destination),
            last: last
        )
        guard !last else {
            loadTable[slot].window.receive(UInt64(count))
            world.context.counters.loadsDone += 1
            end(slot, in: &world)
            return verdict
        }
        if loadTable[slot].window.isDelivered { loadTable[slot].takenAt = world.context.now }
        let isFirst = loadTable[slot].phase.isAsked
        loadTable[slot].receive(UInt64(count), at: world.context.now)
        if isFirst { world.context.check(in: world.context.limits.progress) }
        return verdict
    }

    /// The maximum length of a data frame for a destination: less while several loads share the connection, so that
    /// none waits long for another's frame.
    @inline(__always)
    func frameLength(for destination: PeerID) -> Int {
        guard let peerLoads = peerLoads(of: destination), peerLoadsTable[peerLoads].openLoads > 1 else {
            return WireLimits.dataLength
        }
        return WireLimits.sharedDataLength
    }

    /// The destination's socket has taken bytes of a load, or its descriptor.
    mutating func delivered(_ id: LoadID, count: Int, in world: inout World) {
        guard let slot = loadTable.find(id) else { return }
        loadTable[slot].window.deliver(UInt64(count))
        loadTable[slot].takenAt = world.context.now
        switch loadTable[slot].phase {
        case .delivering:
            loadTable[slot].phase = .delivering(.bytes)
            if loadTable[slot].window.isDelivered { release(slot, &world.context) }
        case .passing:
            // All of it has arrived at once.
            loadTable[slot].phase = .flowing
            keptLoadQueued(id, in: &world)
        case .queued, .asked, .flowing:
            grant(slot, &world.context)
        }
    }

    /// Grants the source more bytes, once they are worth a frame.
    @inline(__always)
    mutating func grant(_ slot: Slot, _ context: inout BrokerContext) {
        guard loadTable[slot].phase.hasPlace else { return }
        let wasUsedUp = loadTable[slot].window.isUsedUp
        if loadTable[slot].window.granted == 0 { widen(slot, &context) }
        guard loadTable[slot].window.grow(available: loadTable[slot].available) else { return }
        // For the next grant.
        widen(slot, &context)
        if wasUsedUp {
            loadTable[slot].restart(at: context.now)
            context.check(in: min(loadTable[slot].firstByte, context.limits.progress))
        }
        let id = loadTable.id(of: slot)
        switch loadTable[slot].source {
        case .peer(let source):
            var credit = Credit()
            credit.offset = loadTable[slot].window.granted
            context.send(credit, to: source, stream: id.askStream)
        case .kept:
            readyLoads.append(id)
        }
    }

    /// Makes a load's window larger, as far as its destination can use it and its process has room in the transfer
    /// pool.
    @inline(__always)
    mutating func widen(_ slot: Slot, _ context: inout BrokerContext) {
        guard let wanted = loadTable[slot].window.wanted(of: loadTable[slot].available) else { return }
        // The bytes of cached loads are stored at once.
        guard !loadTable[slot].isCaching else { return loadTable[slot].window.widen(by: wanted) }
        let more = context.accounting.growWindow(by: wanted, of: loadTable[slot].charge.account)
        loadTable[slot].window.widen(by: more)
    }

    // MARK: Other frames

    /// Handles a frame other than data on the stream of an ask.
    mutating func handle(
        _ kind: FrameKind,
        on stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        isLink: Bool,
        in world: inout World
    ) throws(Failure) {
        guard let slot = try ask(on: stream, of: peer) else { return }
        do throws(Failure) {
            switch kind {
            case .answer:
                try answered(try Answer(decoding: payload), slot, in: &world)
            case .progress:
                let progress = try Progress(decoding: payload)
                loadTable[slot].activeAt = world.context.now
                forward(progress, to: slot, &world.context)
            case .end:
                let end = try End(decoding: payload)
                ended(slot, declared: end.byteCount ?? loadTable[slot].window.received, in: &world)
            default:
                let failure = try Failure(decoding: payload)
                fail(slot, isLink ? .atLinkedBroker(failure) : .sourceFailed(failure), in: &world)
            }
        } catch {
            guard error.code != .protocolViolation else { throw error }
            let notifiesSource = kind == .answer || kind == .progress
            fail(slot, .malformed(kind, error), notifiesSource: notifiesSource, in: &world)
        }
    }

    /// Ends a load whose source has sent a frame that this broker does not know and must not skip. False if the load is
    /// over.
    mutating func failAsOutdated(on stream: UInt64, of peer: PeerID, in world: inout World) throws(Failure) -> Bool {
        guard let slot = try ask(on: stream, of: peer) else { return false }
        fail(slot, .newerProtocol, in: &world)
        return true
    }

    mutating func forward(_ progress: Progress, to slot: Slot, _ context: inout BrokerContext) {
        guard loadTable[slot].progressCount < loadTable[slot].progressAllowed(at: context.now) else { return }
        loadTable[slot].progressCount += 1
        context.cost += Cost.frame
        switch loadTable[slot].receiver {
        case .cache(let kept):
            for reader in cachedLoads[kept]?.readers ?? [] {
                guard let slot = loadTable.find(reader), !loadTable[slot].phase.isDelivering else { continue }
                forward(progress, to: slot, &context)
            }
        case .destination(let peer, let stream):
            context.send(progress, to: peer, stream: stream, order: loadTable[slot].order)
        }
    }

    private mutating func answered(_ answer: Answer, _ slot: Slot, in world: inout World) throws(Failure) {
        guard loadTable[slot].phase.awaitsAnswer else {
            throw Failure(.protocolViolation, "an answer may be sent only once, before the bytes")
        }
        if let byteCount = answer.byteCount, let maximum = loadTable[slot].maximumByteCount, byteCount > maximum {
            let failure = LoadFailure.tooLarge(byteCount: byteCount, maximum: maximum)
            return fail(slot, failure, notifiesSource: true, in: &world)
        }
        loadTable[slot].declaredByteCount = answer.byteCount ?? loadTable[slot].declaredByteCount
        loadTable[slot].content = answer.content ?? loadTable[slot].content
        if case .cache(let kept) = loadTable[slot].receiver {
            loadTable[slot].phase.answered()
            return cacheAnswered(kept, slot, answer, in: &world)
        }
        // The destination may wait for the answer before it grants credit. A load also does not have to remember the
        // name.
        answerIfNeeded(slot, name: answer.suggestedName, in: &world)
    }

    private mutating func ended(_ slot: Slot, declared: UInt64, in world: inout World) {
        let received = loadTable[slot].window.received
        let wanted = loadTable[slot].declaredByteCount.map { max($0, declared) } ?? declared
        guard received == wanted, received == declared else {
            let failure: LoadFailure =
                received < wanted
                ? .truncated(received: received, declared: wanted)
                : .miscounted(received: received, declared: declared)
            return fail(slot, failure, in: &world)
        }
        switch loadTable[slot].receiver {
        case .cache(let kept):
            completeCache(kept, in: &world)
        case .destination(let peer, let stream):
            answerIfNeeded(slot, in: &world)
            var end = End()
            end.byteCount = received
            world.context.send(end, to: peer, stream: stream, order: loadTable[slot].order)
            world.context.counters.loadsDone += 1
            self.end(slot, in: &world)
        }
    }

    // MARK: The answer to the destination

    /// Answers the destination, if it has no answer yet: with the source's answer, or just before the first byte, so
    /// that both are one write.
    ///
    /// - Parameter name: the source's name for its file, used if the item has no name.
    mutating func answerIfNeeded(_ slot: Slot, name: String? = nil, in world: inout World) {
        guard loadTable[slot].phase.awaitsAnswer, case .destination(let peer, let stream) = loadTable[slot].receiver
        else { return }
        loadTable[slot].phase.answered()
        guard let offered = world.contents.find(loadTable[slot].publication) else { return }
        let (answer, suggestedName) = answer(slot, offered, name: name, world.contents)
        let range = world.contents[offered].typeRange(of: loadTable[slot].part)
        let type = world.contents[offered].typeNames.span.extracting(range)
        world.context.outbox.send(answer, type: type, suggestedName: suggestedName, to: peer, stream: stream)
    }

    @inline(__always)
    mutating func answer(
        _ slot: Slot,
        _ offered: ContentStore.Slot,
        name: String?,
        _ contents: borrowing ContentStore
    ) -> (answer: AnswerNumbers, suggestedName: String?) {
        let part = loadTable[slot].part
        var answer = AnswerNumbers(
            handle: contents[offered].handle,
            item: loadTable[slot].visibleItem,
            byteCount: loadTable[slot].declaredByteCount,
            itemCount: loadTable[slot].visibleCount,
            content: loadTable[slot].content
        )
        var suggestedName = contents[offered].items[Int(part.item)].suggestedName ?? name?.asSuggestedName
        if case .kept(let kept) = loadTable[slot].source {
            contents.complete(&answer, &suggestedName, of: kept)
        }
        return (answer, suggestedName)
    }
}
