import BrokerState
import PasteboardTransport
import PasteboardWire

// Processing a peer's input may cost far more than its bytes: 16 bytes request a list of 1 MiB. Therefore a turn spends
// a bounded effort on one connection, and a peer that has not read the answers to earlier requests makes no new ones.
// The input that is left over stays with the connection until the next turn or until the peer has read. Meanwhile its
// socket fills, which stops that peer and no other.
//
// Only requests, and the input after them, wait for the peer to read. A source that requests nothing is always read:
// other peers' asks are queued for it, and it may send everything it has before it reads them.
extension BrokerLoop {
    /// The number of reads of one connection in a turn, so that a peer that sends continuously does not delay others.
    private static let readsPerTurn = 4
    /// The effort that one connection may cost in a turn: this number of frames, or 128 requests, which is the number
    /// that ordinary programs have open.
    private static let effortPerTurn = 4096
    private static let requestEffort = 32

    /// Processes the input that an earlier turn has left over, then that in the socket. All input of a connection that
    /// has ended is processed before the connection is removed.
    mutating func read(_ connection: Connection) {
        // Processing input does not lead to another read before it has finished.
        guard var buffer = readBuffer.take() else { return }
        read(connection, through: &buffer)
        readBuffer = consume buffer
        if connection.writing == .failed, self.connection(connection.peer) != nil {
            readLater(connection)
            weighOutput(of: connection)
        }
        weighInput(of: connection)
    }

    private mutating func read(_ connection: Connection, through buffer: inout ReadBuffer) {
        var effort = Self.effortPerTurn
        guard takeRest(of: connection, effort: &effort) else { return }
        for _ in 0..<Self.readsPerTurn where effort > 0 {
            let outcome: ReceiveOutcome
            do throws(SystemError) {
                outcome = try buffer.receive(
                    from: connection.descriptor.raw,
                    takingDescriptors: takesDescriptors,
                    carry: &connection.carry,
                    descriptors: &connection.descriptors
                )
            } catch {
                return gone(connection)
            }
            switch outcome {
            case .wouldBlock:
                if connection.isWriteClosed { gone(connection) }
                return
            case .endOfFile:
                return gone(connection)
            case .bytes(let count):
                guard checkReceived(connection), take(&buffer, of: connection, effort: &effort) else { return }
                // A short read has emptied the socket. Epoll reports later input.
                if count < ReadBuffer.standardReadSize, !connection.isWriteClosed { return }
            }
        }
    }

    /// Makes the next turn read the connection, regardless of epoll's events.
    mutating func readLater(_ connection: Connection) {
        if connection.fallBehind() { behind.append(connection.peer) }
    }

    /// Reads the connections that have input left from earlier turns.
    mutating func readBehind() {
        guard !behind.isEmpty else { return }
        swap(&behind, &resuming)
        for peer in resuming {
            guard let connection = connection(peer) else { continue }
            connection.resume()
            read(connection)
        }
        resuming.removeAll(keepingCapacity: true)
    }

    /// Returns false if some of the rest is still left over, or the peer has been ended.
    private mutating func takeRest(of connection: Connection, effort: inout Int) -> Bool {
        let rest = connection.rest
        guard !rest.isEmpty else { return true }
        switch parse(rest.bytes.span, from: rest.offset, of: connection, effort: &effort) {
        case .taken(let end):
            connection.finishRest(carrying: rest.bytes.span.extracting(end...))
        case .stopped(let end, let reason):
            connection.stop(reason, at: end)
        case .closed:
            return false
        }
        // The flush decides what epoll is to report.
        flushLater(connection)
        return connection.rest.isEmpty
    }

    /// Returns false if some input is left over, or the peer has been ended.
    private mutating func take(_ buffer: inout ReadBuffer, of connection: Connection, effort: inout Int) -> Bool {
        switch buffer.withBytes({ parse($0, from: 0, of: connection, effort: &effort) }) {
        case .taken(let end):
            buffer.keep(unconsumedFrom: end, into: &connection.carry)
            return true
        case .stopped(let end, let reason):
            connection.stop(reason, leaving: buffer.withBytes { Rest(copying: $0.extracting(end...)) })
            flushLater(connection)
            return false
        case .closed:
            return false
        }
    }

    private enum ParseOutcome {
        /// Everything up to an offset has been processed. An incomplete frame header or control frame may follow.
        case taken(Int)
        /// Input from an offset on has to wait.
        case stopped(Int, Connection.StopReason)
        /// The peer has been ended.
        case closed
    }

    /// Processes whole frames and bytes of data frames.
    private mutating func parse(
        _ bytes: Span<UInt8>,
        from start: Int,
        of connection: Connection,
        effort: inout Int
    ) -> ParseOutcome {
        defer { performOutbox() }
        var consumed = start
        var taken = start
        do throws(Failure) {
            while let chunk = try connection.decoder.next(in: bytes, at: &consumed) {
                if chunk.header.isRequest {
                    // The decoder keeps no state of a control frame, so it will decode this one again.
                    guard connection.mayAsk else { return .stopped(taken, .unreadAnswers) }
                    effort -= Self.requestEffort
                    connection.answerCount = .max
                    try take(chunk, bytes, from: connection)
                    connection.answerCount = connection.output.controlCount
                } else {
                    effort -= 1
                    try take(chunk, bytes, from: connection)
                }
                guard self.connection(connection.peer) != nil else { return .closed }
                taken = consumed
                if effort <= 0, taken < bytes.count { return .stopped(taken, .effort) }
            }
            try checkUnclaimed(connection, isFrameOpen: consumed < bytes.count)
            return .taken(consumed)
        } catch {
            let peer = connection.peer
            input { $0.violated(peer, error) }
            return .closed
        }
    }

    private mutating func take(_ chunk: FrameChunk, _ bytes: Span<UInt8>, from connection: Connection) throws(Failure) {
        let payload = bytes.extracting(chunk.payload)
        let peer = connection.peer
        guard chunk.header.descriptorCount == 0 else {
            return try takePassed(chunk.header, payload, from: connection)
        }
        guard chunk.header.rawKind == FrameKind.data.rawValue else {
            connection.decoder.limitBeforeHello = nil
            inputOfRead { $0.received(chunk.header, payload, from: peer) }
            return
        }
        let verdict = inputOfRead {
            $0.relay(stream: chunk.header.stream, count: payload.count, last: chunk.endsSequence, from: peer)
        }
        switch verdict {
        case .forward(let destination, let stream, let load, let frameLength, let last):
            guard let target = self.connection(destination) else { return }
            let frame = OutgoingData(stream: stream, load: load, frameLength: frameLength, last: last)
            let isLastChunk = chunk.payload.upperBound == bytes.count
            forward(payload, as: frame, to: target, atOnce: isLastChunk && isAlone)
        case .keep(let kept):
            _ = keep(payload, in: kept)
        case .cache(let kept, let last):
            guard keep(payload, in: kept) else { return }
            input { $0.stored(kept, count: payload.count, last: last) }
        case .drop, .closing:
            break
        }
    }
}

extension FrameHeader {
    /// Whether the frame is answered on its sender's connection. All kinds are, except those that continue an open
    /// stream.
    fileprivate var isRequest: Bool {
        switch kind {
        case .data, .item, .commit, .answer, .end, .error, .cancel, .credit, .progress: false
        default: true
        }
    }
}
