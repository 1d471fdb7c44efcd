import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// What the lock of a link guards: the connection, who waits for its streams, and what is being answered.
final class LinkCore {
    /// Reads in one turn: a broker that sends without end does not keep requests waiting.
    private static let readsPerTurn = 4

    var io: ConnectionIO
    /// By stream.
    var sinks: [UInt64: any StreamSink] = [:]
    /// What this process has promised, by the handle of the publication.
    private var publications: [UInt64: any StreamSink] = [:]
    /// Publications that have ended while asks were open: a load that has begun is finished from what it was begun on.
    private var lastPublications: [UInt64: any StreamSink] = [:]
    private var answers: [UInt64: AskAnswer] = [:]
    /// What this was perhaps the last to hold. It may hold what a program's handlers have captured, whose end is the
    /// program's code: it is let go of once the lock is free.
    private var discarded: [any Sendable] = []
    /// Answers that have something to send.
    private var stalled: [UInt64] = []
    /// Somebody is going to send what waits.
    var isSendScheduled = false
    /// Whether the thread waits without an end.
    private var sleepsDeeply = false
    private weak var link: Link?

    init(_ io: consuming ConnectionIO) {
        self.io = io
    }

    func attach(_ link: Link) {
        self.link = link
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
    func nextWait(isIdle: Bool) -> Wait? {
        guard !isOver else { return nil }
        let next = io.nextCheck
        sleepsDeeply = next == .max && isIdle
        let left = next == .max ? io.patience.silence : Int(MonotonicClock.millisecondsLeft(until: next))
        return Wait(wantsWrite: io.wantsWrite, milliseconds: sleepsDeeply ? nil : left)
    }

    /// Whether the thread has to hear of a request that somebody else has made. A request gives the thread a deadline to
    /// look after; while it looks up every now and then, because there was a request before, it need not be told.
    func takesWakeUp(waitedToWrite: Bool) -> Bool {
        if sleepsDeeply, io.nextCheck != .max {
            sleepsDeeply = false
            return true
        }
        return isOver || io.cannotWrite || io.wantsWrite && !waitedToWrite
    }

    func turn(isReadable: Bool, _ effects: inout Effects) {
        guard !isOver else { return }
        do throws(Failure) {
            if isReadable {
                for _ in 0..<Self.readsPerTurn {
                    let mayHaveMore = try io.pump { state, event, bytes in
                        self.take(event, in: bytes, &state, &effects)
                    }
                    if !mayHaveMore { break }
                }
            } else {
                try io.check()
            }
        } catch {
            lose(error, &effects)
        }
        flush(&effects)
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

    func sendSoon(_ effects: inout Effects) -> Sending {
        guard sinks.count + answers.count >= Self.sharing, !sleepsDeeply, !io.wantsWrite else {
            flush(&effects)
            return .now
        }
        defer { isSendScheduled = true }
        return isSendScheduled ? .later : .scheduled
    }

    /// Hands what is to be sent to the socket, and goes on with answers that waited for room.
    func flush(_ effects: inout Effects) {
        guard !isOver else { return }
        do throws(Failure) {
            try io.flush()
            while !io.wantsWrite, !stalled.isEmpty {
                // Small ones share a write.
                repeat {
                    try send(stalled.removeFirst(), &effects)
                } while !stalled.isEmpty && io.waitingCount < WireLimits.sharedDataLength
                try io.flush()
            }
        } catch {
            lose(error, &effects)
        }
    }

    /// The connection is over, and everything with it.
    func lose(_ failure: Failure, _ effects: inout Effects) {
        _ = io.state.connectionLost(failure)
        io.endWriting()
        let sinks = self.sinks.values
        let answers = self.answers.values
        self.sinks = [:]
        for promises in publications.values { discarded.append(promises) }
        for promises in lastPublications.values { discarded.append(promises) }
        publications = [:]
        lastPublications = [:]
        self.answers = [:]
        stalled = []
        for sink in sinks { sink.failed(failure, &effects) }
        for answer in answers { effects.append { answer.cancel() } }
    }

    func cancel(_ sink: any StreamSink) {
        guard let stream = sinks.first(where: { $0.value === sink })?.key else { return }
        sinks[stream] = nil
        // Those that the broker has opened are even.
        if stream & 1 == 0 { io.state.leave(stream) } else { io.state.cancel(stream) }
        ended(sink)
    }

    // MARK: What the broker says

    private func take(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        _ state: inout ClientState,
        _ effects: inout Effects
    ) {
        switch event {
        case .welcomed:
            break
        case .asked(let stream, let ask):
            asked(stream, ask, &state, &effects)
        case .askCredit(let stream):
            if answers[stream]?.data != nil { stalled.append(stream) }
        case .askCancelled(let stream):
            if let answer = answers.removeValue(forKey: stream) { effects.append { answer.cancel() } }
            forgetLastPublications()
        case .data(let stream, let payload, let isLast):
            guard let sink = sinks[stream] else { return }
            if isLast { sinks[stream] = nil }
            let disposal = sink.received(bytes.extracting(payload), isLast: isLast, &effects)
            if disposal == .consumed, !isLast { state.consumed(stream, count: payload.count) }
        case .passed(let stream, _, _):
            sinks.removeValue(forKey: stream)?.received(event, in: bytes, &effects)
        case .failed(let stream, let failure):
            guard let sink = sinks.removeValue(forKey: stream) else { return }
            ended(sink)
            sink.failed(failure, &effects)
        case .committed(let stream, let committed):
            guard let sink = sinks[stream] else { return }
            if sink.isPublication, let handle = committed.handle { publications[handle] = sink }
            sink.received(event, in: bytes, &effects)
        case .ended(let stream, _):
            guard let sink = sinks.removeValue(forKey: stream) else { return }
            ended(sink)
            sink.received(event, in: bytes, &effects)
        case .session(let stream, let session) where sinks[stream] == nil:
            sinks[stream] = session.destination.flatMap { sinks[$0] }?.visit(stream, session)
        default:
            sinks[event.stream]?.received(event, in: bytes, &effects)
        }
    }

    private func ended(_ sink: any StreamSink) {
        guard sink.isPublication, let handle = publications.first(where: { $0.value === sink })?.key else { return }
        publications[handle] = nil
        if !answers.isEmpty { lastPublications[handle] = sink }
    }

    private func forgetLastPublications() {
        guard answers.isEmpty, !lastPublications.isEmpty else { return }
        for promises in lastPublications.values { discarded.append(promises) }
        lastPublications = [:]
    }

    /// What is to be let go of goes with the effects.
    func release(_ effects: inout Effects) {
        guard !discarded.isEmpty else { return }
        let released = discarded
        discarded = []
        effects.append { withExtendedLifetime(released) {} }
    }

    // MARK: Answering

    private func asked(_ stream: UInt64, _ ask: Ask, _ state: inout ClientState, _ effects: inout Effects) {
        let handle = ask.handle ?? 0
        guard let link, let promises = publications[handle] ?? lastPublications[handle],
            let handler = promises.handler(item: ask.item ?? 0, representation: ask.representation ?? 0)
        else {
            state.fail(stream, Failure(.sourceGone, "the source has no representation \(ask.type) any more"))
            return
        }
        let run = HandlerRun(handler) { [weak link] completed, total in
            link?.report(stream, completed: completed, total: total)
        } completion: { [weak link, isInPlace = ask.inPlaceWelcome == true] result in
            link?.finish(stream, isInPlace ? result.map(\.located) : result)
        }
        answers[stream] = AskAnswer(run: run)
        effects.append { run.start() }
    }

    func finish(_ ask: UInt64, _ result: Result<MadeBytes, any Error>, _ effects: inout Effects) {
        guard answers[ask] != nil else {
            if case .success(.pieces(let pieces)) = result { effects.append { pieces.cancel() } }
            return
        }
        switch result {
        case .failure(let error):
            io.state.fail(ask, Failure(ofHandler: error))
            forget(ask)
        case .success(.data(let data)):
            // A small one is a single frame, which says its size itself.
            if data.count > WireLimits.sharedDataLength { io.state.answer(ask, byteCount: UInt64(data.count)) }
            answers[ask]?.data = data
            stalled.append(ask)
        case .success(.file(let file)):
            // That it is an archive could not be told with a descriptor.
            let (count, path, name) = (file.byteCount, file.path, file.name)
            if !file.isArchive, io.pass(file.descriptor, byteCount: count, path: path, fileName: name, on: ask) {
                return forget(ask)
            }
            send(FilePieces(file), on: ask)
        case .success(.pieces(let pieces)):
            send(pieces, on: ask)
        }
    }

    /// Piece by piece, the first of them empty.
    private func send(_ pieces: any PieceSource, on ask: UInt64) {
        let (content, name) = (pieces.isArchive ? UInt32(1) : nil, pieces.fileName)
        io.state.answer(ask, byteCount: pieces.byteCount, content: content, fileName: name)
        answers[ask]?.pieces = pieces
        answers[ask]?.data = Data()
        stalled.append(ask)
    }

    func goOn(_ ask: UInt64, with piece: Result<Data?, any Error>) {
        guard answers[ask] != nil else { return }
        switch piece {
        case .failure(let error):
            io.state.fail(ask, Failure(ofHandler: error))
            forget(ask)
        case .success(nil):
            io.state.end(ask)
            forget(ask)
        case .success(let data?):
            if let before = answers[ask]?.data { discarded.append(before) }
            answers[ask]?.data = data
            answers[ask]?.sent = 0
            stalled.append(ask)
        }
    }

    private func forget(_ ask: UInt64) {
        if let answer = answers.removeValue(forKey: ask) { discarded.append(answer) }
        forgetLastPublications()
    }

    /// Sends of an answer what credit and socket allow, from where it is.
    private func send(_ ask: UInt64, _ effects: inout Effects) throws(Failure) {
        guard let answer = answers[ask], let data = answer.data else { return }
        if let pieces = answer.pieces, answer.sent == data.count { return takeNext(ask, of: pieces, &effects) }
        var sent = answer.sent
        while let count = try io.send(data.span.extracting(sent..<data.count), on: ask, last: answer.pieces == nil) {
            sent += count
            if sent == data.count {
                if let pieces = answer.pieces { takeNext(ask, of: pieces, &effects) } else { forget(ask) }
                return
            }
            try io.flush()
            if io.wantsWrite {
                stalled.append(ask)
                break
            }
        }
        answers[ask]?.sent = sent
    }

    private func takeNext(_ ask: UInt64, of pieces: any PieceSource, _ effects: inout Effects) {
        if let before = answers[ask]?.data { discarded.append(before) }
        answers[ask]?.data = nil
        answers[ask]?.sent = 0
        effects.append { [weak link] in
            pieces.next { [weak link] piece in link?.goOn(ask, with: piece) }
        }
    }

    func report(_ ask: UInt64, completed: Int64, total: Int64) {
        let now = MonotonicClock.now()
        guard let answer = answers[ask], answer.data == nil, now >= answer.nextReport else { return }
        // A few may come at once: what is reported last before a long wait should arrive.
        let earliest = now - min(now, AskAnswer.reportBurst * AskAnswer.reportInterval)
        answers[ask]?.nextReport = max(answer.nextReport, earliest) + AskAnswer.reportInterval
        io.state.progress(ask, completed: UInt64(clamping: completed), total: UInt64(exactly: total))
    }
}

/// A representation that the broker has asked for.
private struct AskAnswer: Sendable {
    /// Between two reports of progress, in nanoseconds: enough for people, and far below every deadline.
    static let reportInterval: UInt64 = 100_000_000
    /// So many may come without an interval between them.
    static let reportBurst: UInt64 = 10

    let run: HandlerRun
    var data: Data?
    var sent = 0
    /// Where the pieces after `data` come from.
    var pieces: (any PieceSource)?
    var nextReport: UInt64 = 0

    /// Nobody wants the bytes any more.
    func cancel() {
        run.cancel()
        pieces?.cancel()
    }
}
