import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// What the lock of a link guards: the connection, who waits for its streams, and what is being answered.
struct LinkCore: ~Copyable {
    /// Reads in one turn: a broker that sends without end does not keep requests waiting.
    private static let readsPerTurn = 4

    var io: ConnectionIO
    var streams = LinkStreams()
    /// Somebody is going to send what waits.
    var isSendScheduled = false
    /// Whether the thread waits without an end.
    private var sleepsDeeply = false

    init(_ io: consuming ConnectionIO) {
        self.io = io
    }

    var isOver: Bool { io.state.failure != nil }

    var failure: Failure {
        io.state.failure ?? Failure(.brokerUnavailable, "the connection to the broker at \(io.path) is closed")
    }

    // MARK: The thread's turns

    /// What the thread waits for next, and how long; nil once the connection is over.
    struct Wait {
        let wantsWrite: Bool
        let milliseconds: Int?
    }

    /// - Parameter isIdle: nothing has come for as long as the last wait was.
    mutating func nextWait(isIdle: Bool) -> Wait? {
        guard !isOver else { return nil }
        let next = io.nextCheck
        sleepsDeeply = next == .max && isIdle
        let left = next == .max ? io.patience.silence : Int(MonotonicClock.millisecondsLeft(until: next))
        return Wait(wantsWrite: io.wantsWrite, milliseconds: sleepsDeeply ? nil : left)
    }

    /// Whether the thread has to hear of a request that somebody else has made. A request gives the thread a deadline to
    /// look after; while it looks up every now and then, because there was a request before, it need not be told.
    mutating func takesWakeUp(waitedToWrite: Bool) -> Bool {
        if sleepsDeeply, io.nextCheck != .max {
            sleepsDeeply = false
            return true
        }
        return isOver || io.cannotWrite || io.wantsWrite && !waitedToWrite
    }

    mutating func turn(isReadable: Bool, _ effects: inout Effects) {
        guard !isOver else { return }
        do throws(Failure) {
            if isReadable {
                for _ in 0..<Self.readsPerTurn {
                    if try !Self.pump(&io, to: &streams, &effects) { break }
                }
            } else {
                try io.check()
            }
        } catch {
            lose(error, &effects)
        }
        flush(&effects)
    }

    /// - Returns: whether there may be more to read.
    private static func pump(
        _ io: inout ConnectionIO,
        to streams: inout LinkStreams,
        _ effects: inout Effects
    ) throws(Failure) -> Bool {
        try io.pump { state, event, bytes in streams.take(event, in: bytes, &state, &effects) }
    }

    /// What becomes of something that is to be sent.
    enum Sending {
        case now
        /// Its sending has to be scheduled.
        case scheduled
        /// It goes with what is scheduled already.
        case later
        /// The connection's thread has to hear of it.
        case byThread
    }

    /// From so many requests and answers under way on, they share their writes: with fewer each is sent at once.
    private static let sharing = 8

    mutating func sendSoon(_ effects: inout Effects) -> Sending {
        guard streams.sinks.count + streams.answers.count >= Self.sharing, !sleepsDeeply, !io.wantsWrite else {
            flush(&effects)
            return .now
        }
        defer { isSendScheduled = true }
        return isSendScheduled ? .later : .scheduled
    }

    /// Hands what is to be sent to the socket, and goes on with answers that waited for room.
    mutating func flush(_ effects: inout Effects) {
        guard !isOver else { return }
        do throws(Failure) {
            try io.flush()
            while !io.wantsWrite, !streams.stalled.isEmpty {
                // Small ones share a write.
                repeat {
                    try send(streams.stalled.removeFirst(), &effects)
                } while !streams.stalled.isEmpty && io.waitingCount < WireLimits.sharedDataLength
                try io.flush()
            }
        } catch {
            lose(error, &effects)
        }
        if !io.wantsWrite { streams.tellEnds(&effects) }
    }

    /// The connection is over, and everything with it.
    mutating func lose(_ failure: Failure, _ effects: inout Effects) {
        _ = io.state.connectionLost(failure)
        io.endWriting()
        streams.fail(failure, &effects)
    }

    mutating func cancel(_ sink: any StreamSink) {
        guard let stream = streams.remove(sink) else { return }
        // Those that the broker has opened are even.
        if stream & 1 == 0 { io.state.leave(stream) } else { io.state.cancel(stream) }
    }

    // MARK: Answering

    mutating func finish(_ ask: UInt64, _ result: Result<MadeBytes, any Error>, _ effects: inout Effects) {
        guard streams.answers[ask] != nil else {
            if case .success(.pieces(let pieces)) = result { effects.append { pieces.cancel() } }
            return
        }
        switch result {
        case .failure(let error):
            io.state.fail(ask, Failure(ofHandler: error))
            streams.forget(ask)
        case .success(.data(let data)):
            // A small one is a single frame, which says its size itself.
            if data.count > WireLimits.sharedDataLength { io.state.answer(ask, byteCount: UInt64(data.count)) }
            streams.answers[ask]?.data = data
            streams.stalled.append(ask)
        case .success(.file(let file)):
            // That it is an archive could not be told with a descriptor.
            let (count, path, name) = (file.byteCount, file.path, file.name)
            if !file.isArchive, io.pass(file.descriptor, byteCount: count, path: path, fileName: name, on: ask) {
                return streams.forget(ask)
            }
            send(FilePieces(file), on: ask)
        case .success(.pieces(let pieces)):
            send(pieces, on: ask)
        }
    }

    /// Piece by piece, the first of them empty.
    private mutating func send(_ pieces: any PieceSource, on ask: UInt64) {
        let (content, name) = (pieces.isArchive ? UInt32(1) : nil, pieces.fileName)
        io.state.answer(ask, byteCount: pieces.byteCount, content: content, fileName: name)
        streams.answers[ask]?.pieces = pieces
        streams.answers[ask]?.data = Data()
        streams.stalled.append(ask)
    }

    mutating func goOn(_ ask: UInt64, with piece: Result<Data?, any Error>) {
        guard streams.answers[ask] != nil else { return }
        switch piece {
        case .failure(let error):
            io.state.fail(ask, Failure(ofHandler: error))
            streams.forget(ask)
        case .success(nil):
            io.state.end(ask)
            streams.forget(ask)
        case .success(let data?):
            streams.discard(streams.answers[ask]?.data)
            streams.answers[ask]?.data = data
            streams.answers[ask]?.sent = 0
            streams.stalled.append(ask)
        }
    }

    /// Sends of an answer what credit and socket allow, from where it is.
    private mutating func send(_ ask: UInt64, _ effects: inout Effects) throws(Failure) {
        guard let answer = streams.answers[ask], let data = answer.data else { return }
        if let pieces = answer.pieces, answer.sent == data.count { return takeNext(ask, of: pieces, &effects) }
        var sent = answer.sent
        while let count = try io.send(data.span.extracting(sent..<data.count), on: ask, last: answer.pieces == nil) {
            sent += count
            if sent == data.count {
                if let pieces = answer.pieces { takeNext(ask, of: pieces, &effects) } else { streams.forget(ask) }
                return
            }
            try io.flush()
            if io.wantsWrite {
                streams.stalled.append(ask)
                break
            }
        }
        streams.answers[ask]?.sent = sent
    }

    private mutating func takeNext(_ ask: UInt64, of pieces: any PieceSource, _ effects: inout Effects) {
        streams.discard(streams.answers[ask]?.data)
        streams.answers[ask]?.data = nil
        streams.answers[ask]?.sent = 0
        effects.append { [weak link = streams.link] in
            pieces.next { [weak link] piece in link?.goOn(ask, with: piece) }
        }
    }

    mutating func report(_ ask: UInt64, completed: Int64, total: Int64) {
        let now = MonotonicClock.now()
        guard let answer = streams.answers[ask], answer.data == nil, now >= answer.nextReport else { return }
        // A few may come at once: what is reported last before a long wait should arrive.
        let earliest = now - min(now, AskAnswer.reportBurst * AskAnswer.reportInterval)
        streams.answers[ask]?.nextReport = max(answer.nextReport, earliest) + AskAnswer.reportInterval
        io.state.progress(ask, completed: UInt64(clamping: completed), total: UInt64(exactly: total))
    }
}
