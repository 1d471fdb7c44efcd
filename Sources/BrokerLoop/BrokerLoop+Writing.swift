import BrokerState
import PasteboardTransport
import PasteboardWire

// Output of connections: bytes of loads that are passed on, kept bytes, and the flush at the end of a turn.
extension BrokerLoop {
    /// Payloads of at least this size are sent directly to an idle socket; smaller ones share a write.
    private static let directSendSize = 16 << 10

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
    mutating func forward(_ payload: Span<UInt8>, as data: OutgoingData, to target: Connection, atOnce isAtOnce: Bool) {
        guard !target.isWriteClosed else { return }
        var offset = 0
        repeat {
            let count = min(data.frameLength, payload.count - offset)
            let isLast = data.last && offset + count == payload.count
            let header = FrameHeader(.data, stream: data.stream, length: count, flags: isLast ? .last : .none)
            let bytes = payload.extracting(offset..<offset + count)
            offset += count
            if isAtOnce || count >= Self.directSendSize, target.output.streamCount == 0 {
                send(header, bytes, through: target, load: data.load)
            } else {
                target.output.appendStream(header: header, payload: bytes)
                if count > 0 { target.output.mark(Delivery(load: data.load.rawValue, count: count)) }
                flushLater(target)
            }
        } while offset < payload.count
    }

    private mutating func send(
        _ header: FrameHeader,
        _ bytes: Span<UInt8>,
        through target: Connection,
        load: LoadID
    ) {
        let count = bytes.count
        // The load's answer precedes its bytes.
        performOutbox()
        do throws(SystemError) {
            let isSent = try target.output.sendThrough(header: header, payload: bytes, to: target.descriptor.raw)
            if isSent { return input { $0.delivered(load, count: count) } }
            if count > 0 { target.output.mark(Delivery(load: load.rawValue, count: count)) }
            flushLater(target)
        } catch {
            if target.writeFailed() { unflushed.append(target.peer) }
        }
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

    /// Queues the kept bytes for which their destinations have credit.
    private mutating func pumpKept() {
        while let chunk = input({ $0.nextKeptChunk() }) {
            guard let target = connection(chunk.destination), !target.isWriteClosed else {
                input { $0.keptLoadQueued(chunk.load) }
                continue
            }
            do throws(SystemError) {
                try memory.read(chunk, into: &target.output)
                if chunk.count > 0 {
                    target.output.mark(Delivery(load: chunk.load.rawValue, count: chunk.count))
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
    mutating func flushLater(_ connection: Connection) {
        if connection.appended() { unflushed.append(connection.peer) }
    }

    /// Writes once to every connection that has new output. The deliveries may lead to more output, which is written
    /// too; the next turn continues after that.
    mutating func settle() {
        for _ in 0..<2 {
            pumpKept()
            guard !unflushed.isEmpty else { return }
            // Exchanged, so that neither list is copied or allocated again.
            swap(&unflushed, &flushing)
            for index in flushing.indices {
                guard let connection = connection(flushing[index]) else { continue }
                connection.beginFlush()
                flush(connection)
                weighOutput(of: connection)
            }
            flushing.removeAll(keepingCapacity: true)
            reportDeliveries()
        }
    }

    private mutating func reportDeliveries() {
        guard !deliveries.isEmpty else { return }
        // Exchanged, because performing the input may write and deliver more.
        var reported: [Delivery] = []
        swap(&reported, &spareDeliveries)
        swap(&reported, &deliveries)
        input { state in
            for delivery in reported { state.delivered(LoadID(rawValue: delivery.load), count: delivery.count) }
        }
        reported.removeAll(keepingCapacity: true)
        swap(&reported, &spareDeliveries)
    }

    /// Writes as much as the socket takes, and decides when the connection is read and written next.
    mutating func flush(_ connection: Connection) {
        let peer = connection.peer
        do throws(SystemError) {
            guard !connection.isWriteClosed else { throw SystemError(call: "send", errno: 0) }
            let outcome = try write(connection)
            guard self.connection(peer) != nil else { return }
            connection.flushed(outcome)
            connection.answerCount = min(connection.answerCount, connection.output.controlCount)
            if connection.mayContinue { readLater(connection) }
            // An array literal would be allocated for `[]` at every write.
            var interest = outcome == .blocked ? Epoll.Interest.writable : Epoll.Interest()
            if connection.isWatchedForInput { interest.insert(.readable) }
            guard interest != connection.interest else { return }
            try epoll.modify(connection.descriptor.raw, interest, token: peer.rawValue)
            connection.interest = interest
        } catch {
            connection.flushFailed()
            input { $0.stoppedReading(peer) }
            readLater(connection)
        }
    }

    /// Writes as much as the socket takes. If the system refuses to pass a descriptor, only its load fails.
    private mutating func write(_ connection: Connection) throws(SystemError) -> FlushOutcome {
        while true {
            let outcome = try connection.output.flush(to: connection.descriptor.raw, delivered: &deliveries)
            guard case .refused(let load) = outcome else { return outcome }
            input { $0.passingRefused(LoadID(rawValue: load)) }
        }
    }

    // MARK: Overfull queues

    /// Whether more frames than allowed, which other peers have caused, wait for the target. Answers to its own
    /// requests do not count: while they are not read, the target's requests wait.
    mutating func isOverfull(_ target: Connection) -> Bool {
        target.output.controlCount - target.answerCount > controlLimit
    }

    /// Writes to a peer before the end of the turn, because it may be reading fast enough. If it does not, it is ended.
    mutating func relieve(_ target: Connection) {
        let peer = target.peer
        guard connection(peer) != nil else { return }
        _ = try? write(target)
        guard connection(peer) != nil, isOverfull(target) else { return }
        let failure = Failure(.limitExceeded, "limit control-queue is exceeded: this client does not read its frames")
        input { $0.violated(peer, failure) }
    }
}
