import BrokerState
import PasteboardTransport
import PasteboardWire

// What a peer sends may cost far more than its bytes: 16 of them ask for a list of 1 MiB. So a turn takes a bounded
// effort for one connection, and no request of a peer that has yet to read what its earlier ones brought. What is left
// over stays with the connection, as its rest, until the next turn or until the peer has read; its socket fills
// meanwhile, which holds the peer up and nobody else.
//
// Only requests wait for the peer to read, and what comes behind them. A source that asks for nothing is always heard:
// what is queued for it are other peers' asks, and it may well send all that it has before it reads them.
extension BrokerLoop {
    /// Reads of one connection in a turn: a peer that sends without end does not keep the others waiting.
    private static let readsPerTurn = 4
    /// What one connection may cost in a turn: as many frames, or 128 requests, which is as many as ordinary programs
    /// have open.
    private static let effortPerTurn = 4096
    private static let requestEffort = 32

    /// Takes what an earlier turn has left over, then what is in the socket. A connection at its end is processed first
    /// and gone after.
    mutating func read(_ connection: Connection) {
        // Nothing that is read brings another read about before it is done.
        guard var input = self.input.take() else { return }
        self.read(connection, through: &input)
        self.input = consume input
    }

    private mutating func read(_ connection: Connection, through input: inout ReadBuffer) {
        var effort = Self.effortPerTurn
        connection.isPaused = false
        defer { self.weighInput(of: connection) }
        guard self.takeRest(of: connection, effort: &effort) else { return }
        for _ in 0..<Self.readsPerTurn where effort > 0 {
            let outcome: ReceiveOutcome
            do {
                outcome = try input.receive(
                    from: connection.descriptor.raw,
                    takingDescriptors: self.takesDescriptors,
                    carry: &connection.carry,
                    descriptors: &connection.descriptors
                )
            } catch {
                return self.gone(connection)
            }
            switch outcome {
            case .wouldBlock:
                if connection.isWriteClosed { self.gone(connection) }
                return
            case .endOfFile:
                return self.gone(connection)
            case .bytes(let count):
                guard self.checkReceived(connection), self.take(input: &input, of: connection, effort: &effort) else {
                    return
                }
                // A short read has emptied the socket; what comes later is told by the next event.
                if count < ReadBuffer.standardReadSize, !connection.isWriteClosed { return }
            }
        }
        if connection.isWriteClosed { self.finishLater(connection) }
    }

    /// The next turn goes on with it.
    mutating func finishLater(_ connection: Connection) {
        guard !connection.isUnfinished else { return }
        connection.isUnfinished = true
        self.unfinished.append(connection.peer)
    }

    /// Goes on with what earlier turns have left over.
    mutating func readUnfinished() {
        guard !self.unfinished.isEmpty else { return }
        swap(&self.unfinished, &self.resumed)
        for peer in self.resumed {
            guard let connection = self.connection(peer) else { continue }
            connection.isUnfinished = false
            self.read(connection)
        }
        self.resumed.removeAll(keepingCapacity: true)
    }

    /// False if some is left or the peer has been closed.
    private mutating func takeRest(of connection: Connection, effort: inout Int) -> Bool {
        guard !connection.rest.isEmpty else { return true }
        let rest = connection.rest
        switch self.parse(rest.bytes.span, from: rest.offset, of: connection, effort: &effort) {
        case .taken(let end):
            connection.rest = Rest()
            connection.carry.append(copying: rest.bytes.span.extracting(end...))
        case .stopped(let end):
            connection.rest.offset = end
        case .closed:
            return false
        }
        // What epoll is to report is looked at after writing.
        self.markDirty(connection)
        return connection.rest.isEmpty
    }

    /// False if some is left or the peer has been closed.
    private mutating func take(input: inout ReadBuffer, of connection: Connection, effort: inout Int) -> Bool {
        switch input.withBytes({ self.parse($0, from: 0, of: connection, effort: &effort) }) {
        case .taken(let end):
            input.keep(unconsumedFrom: end, into: &connection.carry)
            return true
        case .stopped(let end):
            connection.rest = input.withBytes { Rest(copying: $0.extracting(end...)) }
            self.markDirty(connection)
            return false
        case .closed:
            return false
        }
    }

    private enum ParseOutcome {
        /// Whole frames and bytes of data frames up to there; nothing behind it can be taken before more has come.
        case taken(Int)
        /// From there on it has to wait.
        case stopped(Int)
        case closed
    }

    /// Takes whole frames and bytes of data frames out of what was read.
    private mutating func parse(
        _ bytes: Span<UInt8>,
        from start: Int,
        of connection: Connection,
        effort: inout Int
    ) -> ParseOutcome {
        var consumed = start
        var taken = start
        do throws(Failure) {
            while let piece = try connection.decoder.next(in: bytes, at: &consumed) {
                if piece.header.isRequest {
                    // The decoder remembers nothing of a control frame: it comes again.
                    guard connection.mayAsk else {
                        connection.isPaused = true
                        return .stopped(taken)
                    }
                    effort -= Self.requestEffort
                    connection.answerCount = .max
                    try self.take(piece, bytes, from: connection)
                    connection.answerCount = connection.output.controlCount
                } else {
                    effort -= 1
                    try self.take(piece, bytes, from: connection)
                }
                guard self.connection(connection.peer) != nil else { return .closed }
                taken = consumed
                if effort <= 0, taken < bytes.count { return .stopped(taken) }
            }
            try self.checkUnclaimed(connection, isFrameOpen: consumed < bytes.count)
            return .taken(consumed)
        } catch {
            self.state.violated(connection.peer, error)
            self.perform()
            return .closed
        }
    }

    private mutating func take(_ piece: FramePiece, _ bytes: Span<UInt8>, from connection: Connection) throws(Failure) {
        let payload = bytes.extracting(piece.payload)
        guard piece.header.descriptorCount == 0 else {
            return try self.takePassed(piece.header, payload, from: connection)
        }
        guard piece.header.rawKind == FrameKind.data.rawValue else {
            self.state.received(piece.header, payload, from: connection.peer)
            connection.decoder.limitBeforeHello = nil
            return self.perform()
        }
        let verdict = self.state.relay(
            stream: piece.header.stream,
            count: payload.count,
            last: piece.endsSequence,
            from: connection.peer
        )
        self.perform()
        switch verdict {
        case .forward(let destination, let stream, let route, let frameLength, let last):
            guard let target = self.connection(destination) else { return }
            let frame = OutgoingData(stream: stream, route: route, frameLength: frameLength, last: last)
            let isLastPiece = piece.payload.upperBound == bytes.count
            self.forward(payload, as: frame, to: target, atOnce: isLastPiece && self.isAlone)
        case .keep(let kept):
            _ = self.keep(payload, in: kept)
        case .fill(let kept, let last):
            guard self.keep(payload, in: kept) else { return }
            self.state.stored(kept, count: payload.count, last: last)
            self.perform()
        case .drop, .closing:
            break
        }
    }
}

extension FrameHeader {
    /// Whether it is answered on its sender's connection: all but what goes on with a stream that is open.
    fileprivate var isRequest: Bool {
        switch self.kind {
        case .data, .item, .commit, .answer, .end, .error, .cancel, .credit, .progress: false
        default: true
        }
    }
}
