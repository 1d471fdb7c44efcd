import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The state that the lock of a ``LiveConnection`` guards: the connection, its streams and the answers under way.
struct ConnectionCore: ~Copyable {
    /// Reads in one turn: a broker that sends without end does not keep requests waiting.
    private static let readsPerTurn = 4

    var io: ConnectionIO
    var streams = ConnectionStreams()
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
        to streams: inout ConnectionStreams,
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

    /// Writes what is to be sent to the socket, and continues the answers that waited for room in it.
    mutating func flush(_ effects: inout Effects) {
        guard !isOver else { return }
        do throws(Failure) {
            try io.flush()
            while !io.wantsWrite, !streams.sendable.isEmpty {
                // Small ones share a write.
                repeat {
                    try send(streams.sendable.removeFirst(), &effects)
                } while !streams.sendable.isEmpty && io.waitingCount < WireLimits.sharedDataLength
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

    mutating func finish(_ ask: UInt64, _ result: Result<HandlerResult, any Error>, _ effects: inout Effects) {
        guard streams.answers[ask] != nil else {
            if case .success(.chunks(let chunks)) = result { effects.append { chunks.cancel() } }
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
            streams.sendable.append(ask)
        case .success(.file(let file)):
            // That it is an archive could not be told with a descriptor.
            let (count, path, name) = (file.byteCount, file.path, file.name)
            if !file.isArchive, io.pass(file.descriptor, byteCount: count, path: path, fileName: name, on: ask) {
                return streams.forget(ask)
            }
            send(FileChunks(file), on: ask)
        case .success(.chunks(let chunks)):
            send(chunks, on: ask)
        }
    }

    /// Begins an answer of several chunks, with an empty one.
    private mutating func send(_ chunks: any ChunkSource, on ask: UInt64) {
        let (content, name) = (chunks.isArchive ? ContentForm.folderArchive : nil, chunks.fileName)
        io.state.answer(ask, byteCount: chunks.byteCount, content: content, fileName: name)
        streams.answers[ask]?.chunks = chunks
        streams.answers[ask]?.data = Data()
        streams.sendable.append(ask)
    }

    mutating func goOn(_ ask: UInt64, with chunk: Result<Data?, any Error>) {
        guard streams.answers[ask] != nil else { return }
        switch chunk {
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
            streams.sendable.append(ask)
        }
    }

    /// Sends of an answer what credit and socket allow, from where it is.
    private mutating func send(_ ask: UInt64, _ effects: inout Effects) throws(Failure) {
        guard let answer = streams.answers[ask], let data = answer.data else { return }
        if let chunks = answer.chunks, answer.sent == data.count { return takeNext(ask, of: chunks, &effects) }
        var sent = answer.sent
        while let count = try io.send(data.span.extracting(sent..<data.count), on: ask, last: answer.chunks == nil) {
            sent += count
            if sent == data.count {
                if let chunks = answer.chunks { takeNext(ask, of: chunks, &effects) } else { streams.forget(ask) }
                return
            }
            try io.flush()
            if io.wantsWrite {
                streams.sendable.append(ask)
                break
            }
        }
        streams.answers[ask]?.sent = sent
    }

    private mutating func takeNext(_ ask: UInt64, of chunks: any ChunkSource, _ effects: inout Effects) {
        streams.discard(streams.answers[ask]?.data)
        streams.answers[ask]?.data = nil
        streams.answers[ask]?.sent = 0
        effects.append { [weak owner = streams.owner] in
            chunks.next { [weak owner] chunk in owner?.goOn(ask, with: chunk) }
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
