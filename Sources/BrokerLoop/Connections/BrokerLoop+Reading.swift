import BrokerState
import PasteboardTransport
import PasteboardWire

// Processing a peer's input may cost far more than its bytes: 16 bytes request a list of 1 MiB. Therefore a visit to a
// connection has a bounded cost, and a peer that has not read the answers to earlier requests makes no new ones. The
// input that is left over stays with the connection until its next visit or until the peer has read. Meanwhile its
// socket fills, which stops that peer and no other.
//
// Only requests, and the input after them, wait for the peer to read. A source that requests nothing is always read:
// other peers' asks are queued for it, and it may send everything it has before it reads them.
extension BrokerLoop {
    /// The cost of the input of one turn: about 5 ms. Signals, new connections and output wait for no more than that.
    static let turnCost = 50_000

    /// Visits each waiting connection once, unless that costs too much for one turn.
    mutating func readQueued() {
        let end = state.world.context.cost + Self.turnCost
        for _ in 0..<readingQueue.count {
            guard state.world.context.cost < end, let visit = readingQueue.next() else { return }
            let start = state.world.context.cost
            if let slot = find(visit.peer) { connections[slot].resume() }
            read(visit.peer, until: start + visit.budget)
            readingQueue.charge(state.world.context.cost - start, for: visit)
        }
    }

    /// Processes the input that an earlier visit has left over, then that in the socket. All input of a connection that
    /// has ended is processed before the connection is removed.
    ///
    /// - Parameter limit: the cost in all at which the visit ends.
    mutating func read(_ peer: PeerID, until limit: Int) {
        // Processing input does not lead to another read before it has finished.
        guard let first = find(peer), var buffer = readBuffer.take() else { return }
        let (account, start) = (connections[first].account, state.world.context.cost)
        read(peer, through: &buffer, until: limit)
        let slot = find(peer)
        // It is unknown whether the bytes of an ended peer, and unprocessed ones, were secret.
        if let slot, !connections[slot].isConcealing, connections[slot].rest.isEmpty {} else { buffer.wipe() }
        readBuffer = consume buffer
        if let slot {
            // A piece of a report may be without visible entries, so no flush may follow.
            if connections[slot].maySendMore { readLater(slot) }
            if connections[slot].writing == .failed {
                readLater(slot)
                weighOutput(of: peer)
            }
        }
        weighInput(of: peer)
        withState { $0.spent(since: start, by: account) }
    }

    private mutating func read(_ peer: PeerID, through buffer: inout ReadBuffer, until limit: Int) {
        // A peer that has already read the end of a load may begin another one.
        reportDeliveries()
        if let slot = find(peer), connections[slot].isReporting || connections[slot].hasChanges {
            continueReport(for: peer, until: limit)
            continueChanges(for: peer, until: limit)
        }
        guard handleRest(of: peer, until: limit) else { return }
        while let slot = find(peer) {
            guard state.world.context.cost < limit else { return readLater(slot) }
            reportDeliveries()
            let outcome: ReceiveOutcome
            do throws(SystemError) {
                let takesDescriptors = takesDescriptors
                outcome = try connections[slot].receive(through: &buffer, takingDescriptors: takesDescriptors)
            } catch {
                return gone(peer)
            }
            switch outcome {
            case .wouldBlock:
                if connections[slot].isWriteClosed { gone(peer) }
                return
            case .endOfFile:
                return gone(peer)
            case .bytes(let count):
                input { $0.charge(forRead: count) }
                guard checkReceived(peer), handle(&buffer, of: peer, until: limit), let slot = find(peer) else {
                    return
                }
                // A short read has emptied the socket. Epoll reports later input.
                if count < ReadBuffer.standardReadSize, !connections[slot].isWriteClosed { return }
            }
        }
    }

    /// Sends more of the list or status that waits until the peer has read.
    private mutating func continueReport(for peer: PeerID, until limit: Int) {
        while state.world.context.cost < limit, let slot = find(peer), connections[slot].isReporting,
            connections[slot].mayBeAnswered
        {
            connections[slot].answerCount = .max
            let hasEnded = input { $0.continueReport(for: peer) }
            guard let slot = find(peer) else { return }
            connections[slot].isReporting = !hasEnded
            connections[slot].answerCount = connections[slot].output.controlCount
        }
    }

    /// Sends more of the changes of watched boards that wait until the peer has read. Like answers, they do not count
    /// as frames that others have caused: at most a few wait at a time.
    private mutating func continueChanges(for peer: PeerID, until limit: Int) {
        while state.world.context.cost < limit, let slot = find(peer), connections[slot].hasChanges,
            connections[slot].mayBeNotified
        {
            connections[slot].answerCount = .max
            let hasEnded = input { $0.continueChanges(for: peer) }
            guard let slot = find(peer) else { return }
            connections[slot].hasChanges = !hasEnded
            connections[slot].answerCount = connections[slot].output.controlCount
        }
    }

    /// Makes this turn or one of the next ones read the connection.
    mutating func readLater(_ slot: ConnectionSlot) {
        if connections[slot].queued() { readingQueue.append(connections[slot].peer, of: connections[slot].account) }
    }

    /// Returns false if some of the rest is still left over, or the peer has been ended.
    private mutating func handleRest(of peer: PeerID, until limit: Int) -> Bool {
        guard let slot = find(peer), !connections[slot].rest.isEmpty else { return true }
        var rest = connections[slot].takeRest()
        let start = rest.offset
        var bytes = rest.bytes.mutableSpan
        let outcome = parse(&bytes, from: start, of: peer, until: limit)
        guard let slot = find(peer) else {
            rest.bytes.wipe()
            return false
        }
        switch outcome {
        case .taken(let end):
            connections[slot].carry.append(copying: rest.bytes.span.extracting(end...))
            if connections[slot].isConcealing { rest.bytes.wipe() }
        case .stopped(let end, let reason):
            rest.offset = end
            stop(slot, reason, leaving: rest)
        case .closed:
            return false
        }
        // The flush decides what epoll is to report.
        flushLater(slot)
        return connections[slot].rest.isEmpty
    }

    /// Stores the rest of a read, which is processed later.
    private mutating func stop(_ slot: ConnectionSlot, _ reason: StopReason, leaving rest: Rest) {
        connections[slot].hold(rest)
        if reason == .cost { readLater(slot) }
    }

    /// Returns false if some input is left over, or the peer has been ended.
    private mutating func handle(_ buffer: inout ReadBuffer, of peer: PeerID, until limit: Int) -> Bool {
        let outcome = buffer.withMutableBytes { parse(&$0, from: 0, of: peer, until: limit) }
        guard let slot = find(peer) else { return false }
        switch outcome {
        case .taken(let end):
            buffer.keep(unconsumedFrom: end, into: &connections[slot].carry)
            return true
        case .stopped(let end, let reason):
            stop(slot, reason, leaving: buffer.withBytes { Rest(copying: $0.extracting(end...)) })
            flushLater(slot)
            return false
        case .closed:
            return false
        }
    }

    /// The reason why input is left over.
    private enum StopReason {
        case cost
        case unreadAnswers
    }

    private enum ParseOutcome {
        /// Everything up to an offset has been processed. An incomplete frame header or control frame may follow.
        case taken(Int)
        /// Input from an offset on has to wait.
        case stopped(Int, StopReason)
        /// The peer has been ended.
        case closed
    }

    /// Processes whole frames and bytes of data frames.
    private mutating func parse(
        _ bytes: inout MutableSpan<UInt8>,
        from start: Int,
        of peer: PeerID,
        until limit: Int
    ) -> ParseOutcome {
        let outcome = parseFrames(in: &bytes, from: start, of: peer, until: limit)
        endRun(in: bytes.span, isLast: true)
        performOutbox()
        return outcome
    }

    private mutating func parseFrames(
        in bytes: inout MutableSpan<UInt8>,
        from start: Int,
        of peer: PeerID,
        until limit: Int
    ) -> ParseOutcome {
        var consumed = start
        var taken = start
        do throws(Failure) {
            while let slot = find(peer) {
                guard let chunk = try connections[slot].decoder.next(in: bytes.span, at: &consumed) else {
                    try checkUnclaimed(slot, isFrameOpen: consumed < bytes.count)
                    return .taken(consumed)
                }
                if chunk.header.rawKind != FrameKind.data.rawValue, chunk.header.isRequest {
                    // The decoder keeps no state of a control frame, so it will decode this one again.
                    guard connections[slot].mayAsk else { return .stopped(taken, .unreadAnswers) }
                    connections[slot].answerCount = .max
                    try handle(chunk, &bytes, from: peer)
                    guard let slot = find(peer) else { return .closed }
                    connections[slot].answerCount = connections[slot].output.controlCount
                } else {
                    try handle(chunk, &bytes, from: peer)
                }
                taken = consumed
                if state.world.context.cost >= limit, taken < bytes.count { return .stopped(taken, .cost) }
            }
            return .closed
        } catch {
            closeRun(in: bytes.span)
            if logsFrames { logViolation(error, by: peer) }
            input { $0.violated(peer, error) }
            return .closed
        }
    }

    private mutating func handle(
        _ chunk: FrameChunk,
        _ bytes: inout MutableSpan<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        if logsFrames, chunk.isFirst { logReceived(chunk.header, bytes.span.extracting(chunk.payload), from: peer) }
        guard chunk.header.descriptorCount == 0 else {
            closeRun(in: bytes.span)
            return try handlePassed(chunk.header, bytes.span.extracting(chunk.payload), from: peer)
        }
        guard chunk.header.rawKind == FrameKind.data.rawValue else {
            if let slot = find(peer) { connections[slot].decoder.limitBeforeHello = nil }
            input(ofRead: bytes.span) { $0.received(chunk.header, bytes.span.extracting(chunk.payload), from: peer) }
            return
        }
        let verdict = input(ofRead: bytes.span) {
            $0.relay(stream: chunk.header.stream, count: chunk.payload.count, last: chunk.endsSequence, from: peer)
        }
        switch verdict {
        case .forward(let destination, let stream, let load, let frameLength, let last):
            let frame = OutgoingData(stream: stream, load: load, frameLength: frameLength, last: last)
            guard !addToRun(chunk, frame, to: destination, in: &bytes) else { return }
            let isLastChunk = chunk.payload.upperBound == bytes.count
            let payload = bytes.span.extracting(chunk.payload)
            forward(payload, as: frame, to: destination, atOnce: isLastChunk && isAlone)
        case .keep(let kept):
            closeRun(in: bytes.span)
            _ = keep(bytes.span.extracting(chunk.payload), in: kept)
        case .cache(let kept, let last):
            closeRun(in: bytes.span)
            guard keep(bytes.span.extracting(chunk.payload), in: kept) else { return }
            input { $0.stored(kept, count: chunk.payload.count, last: last) }
        case .drop, .closing:
            break
        }
    }
}

extension FrameHeader {
    /// Whether the frame can make the broker send something to its sender. Frames that only continue a write, a load or
    /// an answer cannot.
    fileprivate var isRequest: Bool {
        switch kind {
        case .data, .item, .commit, .answer, .end, .error, .cancel, .credit, .progress: false
        default: true
        }
    }
}
