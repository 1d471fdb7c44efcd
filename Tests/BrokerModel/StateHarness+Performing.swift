package import BrokerState
package import PasteboardWire

// The work of a driver for the state: it delivers frames, reads kept bytes and performs effects.
extension StateHarness {
    func queued(_ load: LoadID, _ count: Int, at destination: PeerID) {
        if deliversAtOnce {
            state.delivered(load, count: count)
        } else {
            undelivered[destination, default: []].append((load, count))
        }
    }

    /// Lets the peer's socket take the bytes that wait for it.
    ///
    /// - Parameter count: the number of chunks that it takes.
    package func deliver(to peer: PeerID, atMost count: Int = .max) {
        let chunks = undelivered.removeValue(forKey: peer) ?? []
        let rest = Array(chunks.dropFirst(count))
        if !rest.isEmpty { undelivered[peer] = rest }
        for (load, count) in chunks.prefix(count) {
            state.delivered(load, count: count)
            perform()
        }
    }

    /// Sends the rest of a peer's list or status, or the given number of pieces of it.
    package func continueReport(for peer: PeerID, pieces: Int = .max) {
        var rest = pieces
        while rest > 0, unfinishedReports.contains(peer) {
            if state.continueReport(for: peer) { unfinishedReports.remove(peer) }
            collect()
            rest -= 1
        }
    }

    /// Sends a peer the changes of watched boards, or the given number of pieces of them.
    package func continueChanges(for peer: PeerID, pieces: Int = .max) {
        var rest = pieces
        while rest > 0, unsentChanges.contains(peer) {
            let start = state.world.context.cost
            if state.continueChanges(for: peer) { unsentChanges.remove(peer) }
            let cost = state.world.context.cost - start
            check(cost <= Self.greatestCost, "changes of boards cost \(cost) units")
            greatestChangesCost = max(greatestChangesCost, cost)
            collect()
            rest -= 1
        }
    }

    // MARK: Kept bytes

    /// Lets the harness hold kept bytes that a broker has restored.
    func hold(_ bytes: [UInt8], as kept: KeptID) {
        memory[kept] = KeptMemory(bytes)
        sealed.insert(kept)
    }

    /// The kept bytes that the harness holds.
    func bytes(of kept: KeptID) -> [UInt8] {
        memory[kept].flatMap { $0.bytes(at: 0, count: Int(clamping: $0.count)) } ?? []
    }

    // MARK: Performing

    func perform() {
        collect()
        while let chunk = state.nextKeptChunk() {
            collect()
            guard let bytes = memory[chunk.kept, default: KeptMemory()].bytes(at: chunk.offset, count: chunk.count)
            else {
                return report("a chunk lies outside of the kept bytes")
            }
            receive(Frame(data: bytes, last: chunk.last, stream: chunk.stream), at: chunk.destination)
            queued(chunk.load, chunk.count, at: chunk.destination)
            if chunk.last { state.keptLoadQueued(chunk.load) }
            collect()
        }
        while state.hasRounds {
            let start = state.world.context.cost
            state.continueRounds()
            roundPieces = (roundPieces.count + 1, max(roundPieces.greatestCost, state.world.context.cost - start))
            collect()
        }
        collect()
    }

    func collect() {
        var outbox = Outbox()
        state.exchangeOutbox(with: &outbox)
        for (index, send) in outbox.sends.enumerated() where send.peer != .none {
            let frames = outbox.frames(ofSend: index)
            check(frames.isComplete, "the broker has sent an incomplete frame")
            for (header, payload) in frames.all { receive(send, header, payload, of: outbox) }
        }
        for effect in outbox.effects { perform(effect) }
    }

    private func receive(
        _ send: Outbox.Send,
        _ header: FrameHeader,
        _ payload: [UInt8],
        of outbox: borrowing Outbox
    ) {
        guard let kind = header.kind else { return report("the broker has sent an unknown frame") }
        check(payload.count <= WireLimits.controlLength, "the broker has sent a frame of \(payload.count) bytes")
        let isLast = header.flags.contains(.last)
        var frame = Frame(kind: kind, stream: header.stream, payload: payload, last: isLast, order: send.order)
        frame.report = report
        frame.passing = send.passing?.descriptor
        frame.announcesDescriptor = header.descriptorCount == 1
        if case .kept(let kept)? = frame.passing {
            let isSealed = sealed.contains(kept) || outbox.effects.contains(.completeKept(kept))
            check(isSealed || memory[kept]?.isAdopted == true, "only sealed memory is handed out")
        }
        let passes =
            frame.passing != nil
            || kind == .welcome && outbox.effects.contains(.passDescriptors(send.peer, probes: true))
        check(passes == (header.descriptorCount == 1), "a descriptor is not announced")
        if let passing = send.passing {
            if refusesDescriptors {
                state.passingRefused(passing.load)
                return collect()
            }
            queued(passing.load, 0, at: send.peer)
        }
        if kind == .ask { granted[header.stream] = frame.decode(Ask.self).credit ?? 0 }
        if kind == .credit { granted[header.stream] = frame.decode(Credit.self).offset ?? 0 }
        receive(frame, at: send.peer)
    }

    func receive(_ frame: Frame, at peer: PeerID) {
        check(!dismissed.contains(peer), "\(frame) follows an error on stream 0")
        if frame.kind == .error, frame.stream == 0 { dismissed.insert(peer) }
        if computesDigests { digests[peer, default: FrameDigest()].add(frame) }
        inboxes[peer, default: []].append(frame)
    }

    private func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .logEviction(let eviction):
            checkLine(eviction.text)
            evictions.append(eviction)
        case .log(let removal):
            checkLine(removal.text)
            removals.append(removal)
        case .continueReport(let peer):
            unfinishedReports.insert(peer)
            if readsReports { continueReport(for: peer) }
        case .sendChanges(let peer):
            unsentChanges.insert(peer)
            if readsChanges { continueChanges(for: peer) }
        case .close(let peer), .closeAfterError(let peer):
            check(closed.insert(peer).inserted, "a peer is closed twice")
            forget(peer)
        case .passDescriptors(let peer, let probes):
            if probes { probed.insert(peer) }
            check(passing.insert(peer).inserted, "descriptors are negotiated twice")
            decoders[peer]?.takesDescriptors = true
        case .adoptKept(let kept):
            guard case .sealedMemory(let count) = received, memory[kept] == nil else {
                return report("only sealed memory is taken over, and in place of all bytes")
            }
            memory[kept] = KeptMemory(adopting: count)
        case .completeKept(let kept):
            check(!concealedKept.contains(kept), "secret memory is overwritten at its end")
            sealed.insert(kept)
        case .closeKept(let kept):
            check(closedKept.insert(kept).inserted, "kept bytes are closed twice")
            memory[kept] = nil
            sealed.remove(kept)
        case .save(let contents): save(contents, as: state.saved(contents, at: bootTime))
        case .removeSaved(let contents): save(contents, as: nil)
        case .concealKept(let kept):
            concealedKept.insert(kept)
        case .conceal(let peer):
            concealing.insert(peer)
        case .boardsChanged, .leavePath:
            break
        case .stopListening:
            stoppedListening = true
            input { $0.answerStops(kept: [], error: nil) }
        }
    }

    private func checkLine(_ text: String) {
        check(!text.unicodeScalars.contains { $0.isHarmful }, "a line of the log contains control characters")
    }
}

extension Outbox {
    /// The frames of a send, in order.
    ///
    /// - Returns: with the frames, whether the bytes of the send end with the last one.
    package func frames(
        ofSend index: Int
    ) -> (all: [(header: FrameHeader, payload: [UInt8])], isComplete: Bool) {
        var found: [(header: FrameHeader, payload: [UInt8])] = []
        let bytes = bytes(ofSend: index)
        var start = bytes.lowerBound
        while start < bytes.upperBound, let header = FrameHeader(frames.memory.span, at: start) {
            let payload = start + FrameHeader.byteCount
            let end = payload + Int(header.length)
            guard end <= bytes.upperBound else { break }
            found.append((header, Array(frames.memory[payload..<end])))
            start = end
        }
        return (found, start == bytes.upperBound)
    }
}
