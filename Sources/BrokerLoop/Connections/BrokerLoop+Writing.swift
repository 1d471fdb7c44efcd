import BrokerState
import PasteboardTransport
import PasteboardWire

// Output of connections: bytes of loads that are passed on, kept bytes, and the flush at the end of a turn.
extension BrokerLoop {
    /// Payloads of at least this size are sent directly to an idle socket; smaller ones share a write.
    static let directSendSize = 16 << 10

    // MARK: Bytes of loads

    /// The framing of a load's bytes for the destination.
    struct OutgoingData {
        let stream: UInt64
        let load: LoadID
        let frameLength: Int
        let last: Bool
    }

    /// - Parameter isAtOnce: whether no other frame for the target follows in this turn, so that there is no write to
    ///   share.
    mutating func forward(_ payload: Span<UInt8>, as data: OutgoingData, to peer: PeerID, atOnce isAtOnce: Bool) {
        var offset = 0
        repeat {
            // Bytes that were sent may have ended the connection.
            guard let target = find(peer), !connections[target].isWriteClosed else { return }
            let count = min(data.frameLength, payload.count - offset)
            let isLast = data.last && offset + count == payload.count
            let header = FrameHeader(.data, stream: data.stream, length: count, flags: isLast ? .last : .none)
            let bytes = payload.extracting(offset..<offset + count)
            offset += count
            let isSmall = !isAtOnce && count < Self.directSendSize
            if !isSmall, connections[target].output.streamCount == 0 {
                send(header, bytes, through: peer, load: data.load)
            } else {
                if logsFrames { logSent(header, to: peer) }
                connections[target].output.appendStream(header: header, payload: bytes)
                if count > 0 { connections[target].output.mark(Delivery(load: data.load.rawValue, count: count)) }
                flushLater(target)
            }
        } while offset < payload.count
    }

    private mutating func send(
        _ header: FrameHeader,
        _ bytes: Span<UInt8>,
        through peer: PeerID,
        load: LoadID
    ) {
        let count = bytes.count
        // The load's answer precedes its bytes.
        performOutbox()
        guard let target = find(peer) else { return }
        if logsFrames { logSent(header, to: peer) }
        do throws(SystemError) {
            let socket = connections[target].descriptor.raw
            let isSent = try connections[target].output.sendThrough(header: header, payload: bytes, to: socket)
            if isSent { return input { $0.delivered(load, count: count) } }
            if count > 0 { connections[target].output.mark(Delivery(load: load.rawValue, count: count)) }
            flushLater(target)
        } catch {
            if connections[target].writeFailed() { unflushed.append(peer) }
        }
    }

    // MARK: Runs

    /// Adds a frame, or the first part of one, to the run.
    ///
    /// - Parameter bytes: the memory of the read, in which the new header is stored.
    /// - Returns: false if the bytes cannot be sent from where they are; the run has ended then.
    mutating func addToRun(
        _ chunk: FrameChunk,
        _ data: OutgoingData,
        to destination: PeerID,
        in bytes: inout MutableSpan<UInt8>
    ) -> Bool {
        let frame = chunk.payload.lowerBound - FrameHeader.byteCount..<chunk.payload.upperBound
        let start: Int
        if let run = openRun, chunk.isFirst, run.destination == destination, run.bytes.upperBound == frame.lowerBound {
            start = run.bytes.lowerBound
        } else {
            endRun(in: bytes.span, isLast: false)
            start = frame.lowerBound
        }
        guard chunk.isFirst, chunk.payload.count <= data.frameLength, openRun != nil || mayBeginRun(to: destination)
        else {
            endRun(in: bytes.span, isLast: false)
            return false
        }
        let flags: FrameFlags = data.last ? .last : .none
        FrameHeader(.data, stream: data.stream, length: chunk.payload.count, flags: flags)
            .store(in: &bytes, at: frame.lowerBound)
        openRun = Run(destination: destination, bytes: start..<frame.upperBound)
        runFrames.append(
            RunFrame(end: frame.upperBound, delivery: Delivery(load: data.load.rawValue, count: chunk.payload.count))
        )
        return true
    }

    private mutating func mayBeginRun(to destination: PeerID) -> Bool {
        guard let target = find(destination) else { return false }
        return !connections[target].isWriteClosed && connections[target].output.streamCount == 0
    }

    /// Sends the run. A few bytes are queued instead, to share a write with others.
    ///
    /// - Parameter isLast: whether all of the read has been processed.
    mutating func endRun(in bytes: Span<UInt8>, isLast: Bool) {
        guard let run = openRun else { return }
        guard isLast && isAlone || run.bytes.count >= Self.directSendSize else { return closeRun(in: bytes) }
        openRun = nil
        // The answers of the loads precede their bytes. If this ends the source, because it reads nothing, the errors
        // of its loads precede the run too; the destination then ignores the bytes.
        performOutbox()
        guard let target = find(run.destination) else { return runFrames.removeAll(keepingCapacity: true) }
        if logsFrames { logSent(bytes.extracting(run.bytes), to: run.destination) }
        do throws(SystemError) {
            let socket = connections[target].descriptor.raw
            let sent = try connections[target].output.sendThrough(bytes.extracting(run.bytes), to: socket)
            queue(run, in: bytes, from: run.bytes.lowerBound + sent, to: target)
        } catch {
            runFrames.removeAll(keepingCapacity: true)
            if connections[target].writeFailed() { unflushed.append(run.destination) }
        }
    }

    /// Copies the run into the destination's queue.
    mutating func closeRun(in bytes: Span<UInt8>) {
        guard let run = openRun else { return }
        openRun = nil
        guard let target = find(run.destination) else { return runFrames.removeAll(keepingCapacity: true) }
        if logsFrames { logSent(bytes.extracting(run.bytes), to: run.destination) }
        queue(run, in: bytes, from: run.bytes.lowerBound, to: target)
    }

    /// Queues the part of a run that the socket has not taken. The frames before `offset` have been delivered.
    private mutating func queue(_ run: Run, in bytes: Span<UInt8>, from offset: Int, to target: ConnectionSlot) {
        var start = run.bytes.lowerBound
        for frame in runFrames {
            if frame.end <= offset {
                if frame.delivery.count > 0 { deliveries.append(frame.delivery) }
            } else {
                let rest = bytes.extracting(max(start, offset)..<frame.end)
                connections[target].output.appendStream(rest, isUnfinished: start < offset)
                if frame.delivery.count > 0 { connections[target].output.mark(frame.delivery) }
            }
            start = frame.end
        }
        if start > offset { flushLater(target) }
        // `removeAll` calls generic code, which costs as much as a dozen of these.
        while !runFrames.isEmpty { runFrames.removeLast() }
    }

    // MARK: Kept bytes

    /// Stores bytes that the broker keeps. Returns whether they were stored; otherwise the state has been notified.
    mutating func keep(_ payload: Span<UInt8>, in kept: KeptID) -> Bool {
        do throws(SystemError) {
            try memory.append(payload, to: kept)
            return true
        } catch {
            let reason = error.reason
            input { $0.keptWriteFailed(kept, reason: reason) }
            return false
        }
    }

    /// Queues the kept bytes for which their destinations have credit, unless that costs too much for one turn. They
    /// are charged to the destinations' processes.
    private mutating func pumpKept() {
        guard withState({ $0.hasReadyKept }) else { return }
        var start = state.world.context.cost
        let end = start + Self.turnCost
        while state.world.context.cost < end, let chunk = input({ $0.nextKeptChunk() }) {
            if let slot = find(chunk.destination) {
                readingQueue.charge(state.world.context.cost - start, to: connections[slot].account)
            }
            start = state.world.context.cost
            guard let target = find(chunk.destination), !connections[target].isWriteClosed else {
                input { $0.keptLoadQueued(chunk.load) }
                continue
            }
            do throws(SystemError) {
                try memory.read(chunk, into: &connections[target].output)
                if logsFrames { logSent(chunk.header, to: chunk.destination) }
                if chunk.count > 0 {
                    connections[target].output.mark(Delivery(load: chunk.load.rawValue, count: chunk.count))
                }
                flushLater(target)
                if chunk.last { input { $0.keptLoadQueued(chunk.load) } }
            } catch {
                flushLater(target)
                let reason = error.reason
                input { $0.keptReadFailed(chunk.load, reason: reason) }
            }
        }
    }

    // MARK: Flushing

    /// Adds the connection to those that are flushed at the end of this turn.
    mutating func flushLater(_ slot: ConnectionSlot) {
        if connections[slot].appended() { unflushed.append(connections[slot].peer) }
    }

    /// Writes once to every connection that has new output. The deliveries may lead to more output, which is written
    /// too; the next turn continues after that.
    mutating func flushOutput() {
        for _ in 0..<2 {
            pumpKept()
            guard !unflushed.isEmpty || !deliveries.isEmpty else { return }
            // Exchanged, so that neither list is copied or allocated again.
            swap(&unflushed, &flushing)
            for index in flushing.indices {
                let peer = flushing[index]
                guard let slot = find(peer) else { continue }
                connections[slot].beginFlush()
                flush(peer)
            }
            reportDeliveries()
            // Afterwards, because it may end a peer, whose deliveries must have been counted.
            while let peer = flushing.popLast() { weighOutput(of: peer) }
        }
    }

    mutating func reportDeliveries() {
        guard !deliveries.isEmpty else { return }
        // Exchanged, because performing the input may write and deliver more.
        var reported: [Delivery] = []
        swap(&reported, &spareDeliveries)
        swap(&reported, &deliveries)
        input { state in
            for delivery in reported { state.delivered(LoadID(rawValue: delivery.load), count: delivery.count) }
        }
        while !reported.isEmpty { reported.removeLast() }
        swap(&reported, &spareDeliveries)
    }

    /// Writes as much as the socket takes, and decides when the connection is read and written next.
    mutating func flush(_ peer: PeerID) {
        guard let slot = find(peer) else { return }
        do throws(SystemError) {
            guard !connections[slot].isWriteClosed else { throw SystemError(call: "send", errno: 0) }
            let outcome = try write(peer)
            guard let slot = find(peer) else { return }
            connections[slot].flushed(outcome)
            connections[slot].answerCount = min(connections[slot].answerCount, connections[slot].output.controlCount)
            if connections[slot].mayContinue { readLater(slot) }
            // Not a comparison or a literal, which would call generic code at every write.
            var interest = Epoll.Interest()
            if case .blocked = outcome { interest = .writable }
            if connections[slot].isWatchedForInput { interest.insert(.readable) }
            guard interest != connections[slot].interest else { return }
            try epoll.modify(connections[slot].descriptor.raw, interest, token: peer.rawValue)
            connections[slot].interest = interest
        } catch {
            if let slot = find(peer) { connections[slot].flushFailed() }
            input { $0.stoppedReading(peer) }
            if let slot = find(peer) { readLater(slot) }
        }
    }

    /// Writes as much as the socket takes. If the system refuses to pass a descriptor, only its load fails.
    private mutating func write(_ peer: PeerID) throws(SystemError) -> FlushOutcome {
        while let slot = find(peer) {
            let socket = connections[slot].descriptor.raw
            let outcome = try connections[slot].output.flush(to: socket, delivered: &deliveries)
            guard case .refused(let load) = outcome else { return outcome }
            input { $0.passingRefused(LoadID(rawValue: load)) }
        }
        return .empty
    }

    // MARK: Overfull queues

    /// Whether more frames than allowed, which other peers have caused, wait for the target. Answers to its own
    /// requests do not count: while they are not read, the target's requests wait.
    mutating func isOverfull(_ slot: ConnectionSlot) -> Bool {
        connections[slot].output.controlCount - connections[slot].answerCount > controlLimit
    }

    /// Writes to a peer before the end of the turn, because it may be reading fast enough. If it does not, it is ended.
    mutating func relieve(_ peer: PeerID) {
        _ = try? write(peer)
        guard let slot = find(peer), isOverfull(slot) else { return }
        let failure = Failure(.limitExceeded, "limit control-queue is exceeded: this client does not read its frames")
        input { $0.violated(peer, failure) }
    }
}

/// Data frames for one destination that follow each other in the memory into which they were read.
///
/// Only the stream number in their headers differs from what the source sent. So they are sent from there, with one
/// call and without a copy, when all of the read has been processed. A run is closed before that, which copies it into
/// the destination's queue, if something has to be queued after it.
struct Run {
    let destination: PeerID
    var bytes: Range<Int>
}

/// A frame of a run: the end of its bytes, and the load to which they belong.
struct RunFrame {
    let end: Int
    let delivery: Delivery
}

extension FrameHeader {
    fileprivate func store(in bytes: inout MutableSpan<UInt8>, at offset: Int) {
        let (first, second) = words
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe bytes.mutableBytes
        memory.storeBytes(of: first.littleEndian, toByteOffset: offset, as: UInt64.self)
        memory.storeBytes(of: second.littleEndian, toByteOffset: offset + 8, as: UInt64.self)
    }
}
