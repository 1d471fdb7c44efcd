import PasteboardWire

// The way of a load's bytes: source, broker, destination. Nothing here allocates for a frame.
extension BrokerState {
    /// Bytes of a data frame have come: `count` of them, the sequence ending with them if `last`. Says where they go;
    /// what the outbox then holds is to be performed before they are moved.
    package mutating func relay(stream: UInt64, count: Int, last: Bool, from peer: PeerID) -> RelayVerdict {
        guard self.peers.holds(peer) else { return .closing }
        do throws(Failure) {
            guard self.peers[peer]?.helloDeadline == nil else {
                throw Failure(.protocolViolation, "hello comes first")
            }
            if stream & 1 == 1 { return try self.takeKept(stream: stream, count: count, last: last, from: peer) }
            return try self.takeLoad(RouteID(askStream: stream), count: count, last: last, from: peer)
        } catch {
            self.violation(by: peer, error)
            return .closing
        }
    }

    private mutating func takeLoad(
        _ id: RouteID,
        count: Int,
        last: Bool,
        from peer: PeerID
    ) throws(Failure) -> RelayVerdict {
        guard let route = try self.openAsk(id.askStream, of: peer) else { return .drop }
        let received = route.received + UInt64(count)
        guard received <= route.granted else {
            let text = "the source sent \(received) bytes with credit for \(route.granted)"
            self.fail(id, Failure(.sourceFailed, "\(self.sourceName(route)) broke the protocol: \(text)"))
            throw Failure(.protocolViolation, text)
        }
        if let failure = self.excess(received, of: route) {
            self.fail(id, failure, tellSource: !last)
            return .drop
        }
        if last, let declared = route.declaredByteCount, received < declared {
            self.fail(id, self.truncated(route, received: received, declared: declared))
            return .drop
        }
        // Nothing came: passing it on would cost the destination a frame that no credit allowed.
        if count == 0, !last { return .drop }
        if let kept = route.filling { return self.takeFill(kept, id, count: count, last: last) }
        self.answerIfNeeded(id, route)
        self.counters.relayedBytes += UInt64(count)
        let verdict = RelayVerdict.forward(
            to: route.destination,
            stream: route.destinationStream,
            route: id,
            frameLength: self.frameLength(for: route.destination),
            last: last
        )
        self.routes.update(id) { [now = self.now] in
            $0.received = received
            guard !last else { return }
            if route.delivered == route.received { $0.takenAt = now }
            $0.phase = .flowing
            $0.activeAt = now
            $0.byteAt = now
        }
        if last {
            self.counters.loadsDone += 1
            var route = route
            route.received = received
            self.remove(id, route)
        } else if route.phase == .asked {
            self.check(by: self.now.addingClamped(self.limits.progress))
        }
        return verdict
    }

    /// Bytes of a load have been taken by the destination's socket, the last ones too.
    package mutating func delivered(_ id: RouteID, count: Int) {
        guard let before = self.routes[id]?.delivered, let received = self.routes[id]?.received else { return }
        let delivered = min(before + UInt64(count), received)
        self.inTransfer -= min(self.inTransfer, delivered - before)
        var (isEnded, isPassed) = (false, false)
        self.routes.update(id) { [now = self.now] in
            $0.delivered = delivered
            isEnded = $0.phase == .ended
            $0.takenAt = now
            isPassed = $0.isPassing
            $0.isPassing = false
        }
        if isPassed, !isEnded { return self.keptLoadQueued(id) }
        guard isEnded else { return self.grant(id) }
        if delivered == received { self.release(id) }
    }

    /// Takes room in the transfer pool; once that is full, destinations that do not read are looked for.
    mutating func occupy(_ count: UInt64) {
        self.inTransfer += count
        if self.transferFree == 0 { self.check(by: self.now.addingClamped(self.limits.progress)) }
    }

    /// Raises what the source may send, once that is worth a frame.
    mutating func grant(_ id: RouteID) {
        guard let route = self.routes[id], route.phase != .waiting, route.phase != .ended else { return }
        let window = Window.allowed(route.window, poolFree: self.transferFree)
        let target = min(route.allowed, route.delivered.addingClamped(window))
        guard target > route.granted else { return }
        // Half a window at a time; less only if that is all the destination allows, or the source stands still.
        let isWorthIt =
            target - route.granted >= window / 2 || target == route.allowed || route.granted == route.received
        guard isWorthIt else { return }
        self.occupy(target - route.granted)
        self.routes.update(id) {
            $0.granted = target
            $0.window = Window.largest
        }
        if route.granted == route.received {
            self.routes.update(id) { [now = self.now] in
                $0.activeAt = now
                $0.byteAt = now
            }
            self.check(by: self.now.addingClamped(min(route.firstByte, self.limits.progress)))
        }
        switch route.source {
        case .peer(let source):
            var credit = Credit()
            credit.offset = target
            self.outbox.send(credit, to: source, stream: id.askStream)
        case .kept:
            self.readyKept.append(id)
        }
    }

    var transferFree: UInt64 {
        self.limits.transferPool - min(self.limits.transferPool, self.inTransfer)
    }

    /// Small frames while several streams share a connection, so that none waits long for another's frame.
    private func frameLength(for peer: PeerID) -> Int {
        (self.peers[peer]?.openLoads ?? 0) > 1 ? WireLimits.sharedDataLength : WireLimits.dataLength
    }

    private func excess(_ received: UInt64, of route: Route) -> Failure? {
        if let maximum = route.maximumByteCount, received > maximum {
            return Failure(.tooLarge, "the representation has more than \(maximum) bytes, the most this load allows")
        }
        if let declared = route.declaredByteCount, received > declared {
            return Failure(
                .sourceFailed,
                "\(self.sourceName(route)) declared \(declared) bytes and sent more; nothing of it can be trusted"
            )
        }
        return nil
    }

    func truncated(_ route: Route, received: UInt64, declared: UInt64) -> Failure {
        Failure(
            .sourceTruncated,
            "\(self.sourceName(route)) ended after \(received) of the \(declared) bytes that it declared"
        )
    }

    /// What the load gives, ahead of its first byte: sent so late that both are one write.
    ///
    /// - Parameter name: what the source calls its file; it counts where the item has no name.
    mutating func answerIfNeeded(_ id: RouteID, _ route: Route, name: String? = nil) {
        guard !route.isAnswered, let answer = self.answer(to: route, name: name) else { return }
        self.routes.update(id) { $0.isAnswered = true }
        self.outbox.send(answer, to: route.destination, stream: route.destinationStream)
    }

    func answer(to route: Route, name: String? = nil) -> Answer? {
        guard let items = self.publications[route.publication]?.items else { return nil }
        let item = items[Int(route.item)]
        var answer = Answer()
        answer.handle = route.publication.rawValue
        answer.item = route.item
        answer.type = item.representations[Int(route.representation)].type
        answer.itemCount = UInt32(clamping: items.count)
        if self.publications[route.publication]?.isRestricted == true {
            let places = self.peers[route.destination].flatMap {
                self.publications[route.publication]?.places(for: $0.viewer)
            }
            answer.item = places?.firstIndex(of: Int(route.item)).map { UInt32(clamping: $0) }
            answer.itemCount = places.map { UInt32(clamping: $0.count) }
        }
        answer.suggestedName = item.suggestedName ?? name?.asSuggestedName
        switch route.source {
        case .peer:
            answer.byteCount = route.declaredByteCount
            answer.content = route.content
        case .kept(let kept):
            answer.byteCount = self.kept[kept]?.size
            answer.content = self.kept[kept]?.content
            answer.suggestedName = answer.suggestedName ?? self.kept[kept]?.fileName
        }
        return answer
    }

    // MARK: Kept contents, whose source is the broker itself

    /// The next stretch of kept bytes that may go out, at most one data frame of it; nil when there is none. The
    /// driver puts it into the destination's queue and says `delivered` when the socket has taken it.
    package mutating func nextKeptChunk() -> KeptChunk? {
        self.wakeJoined()
        while let id = self.readyKept.last {
            guard let route = self.routes[id], route.phase != .ended, case .kept(let kept) = route.source,
                let total = self.kept[kept]?.count, let isWhole = self.kept[kept]?.isWhole
            else {
                self.readyKept.removeLast()
                continue
            }
            let size = max(total, self.kept[kept]?.announced ?? 0)
            if let maximum = route.maximumByteCount, size > maximum {
                self.readyKept.removeLast()
                self.fail(id, .tooLarge(size, allowed: maximum))
                continue
            }
            let end = min(route.granted, total)
            // The end of joined bytes may come after the last of them has gone out.
            guard route.received < end || (isWhole && route.received == total) else {
                self.readyKept.removeLast()
                continue
            }
            self.answerIfNeeded(id, route)
            let count = min(end - route.received, UInt64(self.frameLength(for: route.destination)))
            let last = isWhole && route.received + count == total
            self.routes.update(id) { [now = self.now] in
                $0.received = route.received + count
                if route.delivered == route.received { $0.takenAt = now }
                $0.phase = .flowing
                $0.activeAt = now
            }
            self.counters.relayedBytes += count
            if last { self.readyKept.removeLast() }
            return KeptChunk(
                kept: kept,
                offset: route.received,
                count: Int(clamping: count),
                destination: route.destination,
                stream: route.destinationStream,
                route: id,
                last: last
            )
        }
        return nil
    }

    /// Whether `nextKeptChunk` may have something.
    package var hasReadyKept: Bool { !self.readyKept.isEmpty || !self.readyFills.isEmpty }

    /// The last chunk of a kept load has been put into its destination's queue, or its socket has taken the descriptor.
    package mutating func keptLoadQueued(_ id: RouteID) {
        self.counters.loadsDone += 1
        self.remove(id)
    }

    /// The memory of a kept chunk could not be read.
    package mutating func keptReadFailed(_ id: RouteID, reason: String) {
        self.fail(id, Failure(.sourceFailed, "the broker cannot read the bytes that it keeps: \(reason)"))
        // The chunk that could not be read will never be delivered.
        self.release(id)
    }
}
