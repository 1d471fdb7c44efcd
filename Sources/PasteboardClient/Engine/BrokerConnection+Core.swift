import PasteboardTransport
import PasteboardWire

/// Bytes on their way out, of any type: it calls its argument with them, once.
package typealias OutgoingBytes = @Sendable ((Span<UInt8>) -> Void) -> Void

extension BrokerConnection {
    /// The state that the lock guards: the socket, and the streams.
    struct Core: ~Copyable {
        /// The maximum number of reads in one turn, so that a broker that sends without end does not delay requests.
        private static let readsPerTurn = 4

        var io: ConnectionIO
        var streams = Streams()
        /// Whether no further requests are made, because one has shown that the broker is lost or ends.
        var isAbandoned = false
        private var isClosed = false
        /// The time at which the loop looks at the connection next, and whether it watches for room in the socket; 0
        /// while it does not wait.
        private var looksAt: UInt64 = 0
        private var watchesRoom = false

        init(_ io: consuming ConnectionIO) { self.io = io }
    }
}

extension BrokerConnection.Core {
    // `mutating`, because a borrowing call would copy the whole core for its callee.
    var isOver: Bool { mutating get { io.state.failure != nil } }

    /// The number of streams under way.
    // `mutating` likewise.
    var underWay: Int { mutating get { io.state.movingCount + streams.openAsks } }

    /// Whether the connection has begun to refuse requests since the last call.
    mutating func takeClosing() -> Bool {
        guard !isClosed, isOver || isAbandoned || io.state.farewell != nil else { return false }
        isClosed = true
        return true
    }

    // MARK: Requests

    /// Opens a stream. If that fails, the stream has ended with the failure.
    mutating func open(_ request: (inout ClientState) throws(Failure) -> UInt64) -> Int {
        let index = streams.add()
        io.state.owner = UInt32(index)
        do throws(Failure) {
            streams.slots[index].stream = try request(&io.state)
        } catch {
            streams.fail(index, error, io.loss(of: error))
        }
        return index
    }

    /// A slot for a wait that ends with the connection.
    mutating func place() -> Int {
        let index = streams.add()
        if let failure = io.state.failure { streams.fail(index, failure, io.loss(of: failure)) }
        return index
    }

    /// Ends a stream for which no task waits any more.
    mutating func remove(_ index: Int) {
        for event in streams.slots[index].events {
            if case .session(let session, _) = event, streams.slots[index].isDestination { remove(Int(session)) }
        }
        streams.blocked.removeAll { $0 == UInt32(index) }
        guard let stream = streams.remove(index) else { return }
        guard StreamID(stream).isOpenedByBroker else { return io.state.cancel(stream) }
        // The first ends an ask, and the second a session.
        io.state.fail(stream, Failure(.sourceFailed, "the source has ended the load"))
        io.state.leave(stream)
    }

    /// Lets a task wait. At most one waits for a slot: its reader, or the task that answers the ask.
    ///
    /// - Parameter serial: the number of the use of the slot that is meant; nil: any.
    /// - Returns: false if the wait is over already; then the caller releases it.
    mutating func park(
        _ waiter: UnsafeContinuation<Void, Never>,
        at index: Int,
        _ serial: UInt64?,
        for want: Streams.Want
    ) -> Bool {
        guard streams.isUse(serial, of: index) else {
            streams.resume(Waiter(continuation: waiter))
            return true
        }
        streams.slots[index].waiter = waiter
        streams.slots[index].want = want
        if exchange(&streams.slots[index].isNudged, with: false) { return false }
        switch want {
        case .room, .sent:
            if hasRoom(index) { return false }
            if !streams.blocked.contains(UInt32(index)) { streams.blocked.append(UInt32(index)) }
            return true
        case .quiet: return streams.hasAnswers(index) && !streams.slots[index].isLate
        case .event: return !streams.slots[index].isReady
        }
    }

    /// Whether all bytes were sent, or never will be.
    var isSent: Bool { mutating get { !io.wantsWrite || isOver } }

    private mutating func hasRoom(_ index: Int) -> Bool {
        if streams.slots[index].want == .sent { return isSent || streams.slots[index].isLate }
        if streams.slots[index].isOver || streams.slots[index].isLate { return true }
        return io.waitingCount < WireLimits.sharedDataLength
            && (io.state.sendable(streams.slots[index].stream) ?? .max) > 0
    }

    /// The reason why nothing follows on a stream; nil if something may.
    mutating func failure(of index: Int, at reached: Recovery.Reached) -> RequestFailure? {
        if let (failure, loss) = streams.slots[index].failure { return RequestFailure(failure, loss, at: reached) }
        guard streams.slots[index].isLate else {
            return streams.slots[index].isOver ? .cancelled(at: reached) : nil
        }
        // The text about a load does not blame the broker, whose answer may be on its way.
        let text =
            streams.slots[index].timeout.map { "the load did not end within \($0) ms" }
            ?? "the broker at \(io.path) has not answered in the time allowed"
        return RequestFailure(Failure(.timeout, text), .silent, at: reached)
    }

    /// Sends as many bytes as credit and the socket allow.
    ///
    /// - Parameter sent: the number of bytes that were sent before.
    /// - Returns: whether all of them were sent. Without bytes, the end is.
    mutating func send(_ bytes: Span<UInt8>, from sent: inout Int, isLast: Bool, on index: Int) -> Bool {
        let stream = streams.slots[index].stream
        do throws(Failure) {
            while true {
                // Small answers share a write.
                if io.waitingCount >= WireLimits.sharedDataLength {
                    try io.flush()
                    if io.waitingCount >= WireLimits.sharedDataLength { return false }
                }
                let rest = bytes.extracting(sent..<bytes.count)
                guard let count = try io.send(rest, on: stream, last: isLast) else { return false }
                sent += count
                if sent == bytes.count { return true }
                if count == 0 { return false }
                try io.flush()
            }
        } catch {
            lose(error)
        }
        return false
    }

    /// Sends bytes likewise.
    mutating func send(_ bytes: OutgoingBytes, from sent: inout Int, isLast: Bool, on index: Int) -> Bool {
        var isSent = false
        bytes { isSent = send($0, from: &sent, isLast: isLast, on: index) }
        return isSent
    }

    mutating func flush() {
        guard !isOver else { return }
        do throws(Failure) { try io.flush() } catch { lose(error) }
        guard !streams.blocked.isEmpty, io.waitingCount < WireLimits.sharedDataLength else { return }
        for index in exchange(&streams.blocked, with: []) where streams.slots[Int(index)].waiter != nil {
            guard [.room, .sent].contains(streams.slots[Int(index)].want) else { continue }
            if hasRoom(Int(index)) { streams.release(Int(index)) } else { streams.blocked.append(index) }
        }
    }

    mutating func lose(_ failure: Failure, _ loss: Loss? = nil) {
        guard !isOver else { return }
        _ = io.state.connectionLost(failure)
        // A broker that refuses requests still has the connection, and would wait for the answers of a source.
        io.endWriting()
        streams.failAll(failure, loss ?? io.loss(of: failure))
    }

    // MARK: The loop

    /// Whether the loop has to look at the connection earlier than it would.
    var needsLoop: Bool {
        mutating get {
            let next = min(io.nextCheck, streams.earliest)
            let isUrgent = isOver || io.cannotWrite || io.wantsWrite && !watchesRoom
            guard looksAt != 0, isUrgent || next < looksAt else { return false }
            looksAt = 0
            return true
        }
    }

    /// - Parameter isIdle: whether nothing happened during the last wait.
    /// - Returns: nil if the connection is over.
    mutating func nextWait(_ descriptor: CInt, isIdle: Bool) -> Loop.Wait? {
        guard !isOver else { return nil }
        watchesRoom = io.wantsWrite
        looksAt = min(io.nextCheck, streams.earliest)
        // While requests follow each other, the loop need not be woken for the deadline of each.
        if !isIdle {
            let later = MonotonicClock.recent().addingClamped(UInt64(io.timeouts.silence) * 1_000_000)
            looksAt = min(looksAt, later)
        }
        return Loop.Wait(PollInterest(descriptor, watchesRoom ? [.readable, .writable] : .readable), until: looksAt)
    }

    mutating func turn(_ ready: PollInterest.Readiness, of connection: BrokerConnection) {
        guard !isOver else { return }
        do throws(Failure) {
            if !ready.subtracting(.writable).isEmpty {
                for _ in 0..<Self.readsPerTurn { if try !Self.pump(&io, to: &streams, of: connection) { break } }
            } else if !io.cannotWrite || ready.isEmpty {
                // After a failed write, frames that the broker sent before may still be in the socket.
                try io.check()
            }
        } catch {
            lose(error)
        }
        if MonotonicClock.isOver(streams.earliest) { streams.expire() }
    }

    /// - Returns: whether there may be more to read.
    private static func pump(
        _ io: inout ConnectionIO,
        to streams: inout Streams,
        of connection: BrokerConnection
    ) throws(Failure) -> Bool {
        let memory = io.memoryOfNextRead()
        return try io.pump { state, event, bytes in
            streams.handle(event, in: bytes, of: memory, at: connection, &state)
        }
    }
}
