import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The state of a connection apart from its socket: the sinks of its streams, the publications of this process, and the
/// answers to asks that are under way.
///
/// It is a value: events are its input, and calls to the client's state and effects are its output.
struct ConnectionStreams {
    /// Resolved when the broker has answered the hello.
    let greeting = PendingResult<Void>()
    /// The sinks, by stream.
    var sinks = StreamMap<any StreamSink>()
    /// The publications of this process, by handle.
    private var publications: [UInt64: any StreamSink] = [:]
    /// Publications that ended while asks were open. A load that has begun is completed from its own publication.
    private var lastPublications: [UInt64: any StreamSink] = [:]
    var answers = StreamMap<AskAnswer>()
    /// Calls that wait until no answer of a publication is under way.
    private var ends: [(promises: any StreamSink, result: PendingResult<Void>)] = []
    /// Answers that have bytes to send and credit for them.
    var sendable: [UInt64] = []
    /// Bytes of writes that wait for room in the socket.
    var writes: [OutgoingBytes] = []
    private var discarded: [DiscardedValue] = []
    /// Receives the reports of all handlers.
    var report: HandlerRun.Report = { _, _ in }

    /// Takes an event from the broker.
    ///
    /// - Parameter memory: the memory of the bytes, if they can be lent.
    mutating func take(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        of memory: ReadMemory? = nil,
        _ state: inout ClientState,
        _ effects: inout [ConnectionEffect]
    ) {
        switch event {
        case .welcomed:
            effects.append(.resolve(greeting, nil))
        case .asked(let stream, let ask):
            asked(stream, ask, in: bytes, &state, &effects)
        case .askCredit(let stream):
            if answers.values[answers.index(for: stream)]?.data != nil { sendable.append(stream) }
        case .askCancelled(let stream):
            if let answer = answers.removeValue(for: stream) { answer.cancel(&effects) }
            forgetLastPublications()
        case .data(let stream, let payload, let isLast):
            let sink = isLast ? sinks.removeValue(for: stream) : sinks[stream]
            guard let sink else { return }
            let disposal: BytesDisposal
            // Many bytes are not copied. A few would keep much memory from being used again.
            if payload.count > WireLimits.sharedDataLength, let memory, sink.borrowsBytes {
                disposal = sink.received(Data(payload, lentBy: memory), isLast: isLast, &effects)
            } else {
                disposal = sink.received(bytes.extracting(payload), isLast: isLast, &effects)
            }
            if disposal == .consumed, !isLast { state.consumed(stream, count: payload.count) }
        case .passed(let stream, _, _):
            sinks.removeValue(for: stream)?.received(event, in: bytes, &effects)
        case .failed(let stream, let failure):
            guard let sink = sinks.removeValue(for: stream) else { return }
            ended(sink)
            sink.failed(failure, &effects)
        case .committed(let stream, let committed):
            guard let sink = sinks[stream] else { return }
            if sink.isPublication, let handle = committed.handle { publications[handle] = sink }
            sink.received(event, in: bytes, &effects)
        case .ended(let stream, _):
            guard let sink = sinks.removeValue(for: stream) else { return }
            ended(sink)
            sink.received(event, in: bytes, &effects)
        case .session(let stream, let session) where sinks[stream] == nil:
            let destination = session.destination.flatMap { sinks[$0] }
            sinks[stream] = destination?.sessionArrived(stream, session)
        default:
            sinks[event.stream]?.received(event, in: bytes, &effects)
        }
    }

    private mutating func ended(_ sink: any StreamSink) {
        guard sink.isPublication, let handle = publications.first(where: { $0.value === sink })?.key else { return }
        publications[handle] = nil
        if !answers.isEmpty { lastPublications[handle] = sink }
    }

    private mutating func forgetLastPublications() {
        guard answers.isEmpty, !lastPublications.isEmpty else { return }
        for promises in lastPublications.values { discarded.append(.sink(promises)) }
        lastPublications = [:]
    }

    private mutating func asked(
        _ stream: UInt64,
        _ ask: AskFields,
        in bytes: Span<UInt8>,
        _ state: inout ClientState,
        _ effects: inout [ConnectionEffect]
    ) {
        guard let promises = publications[ask.handle] ?? lastPublications[ask.handle],
            let handler = promises.handler(item: ask.item, representation: ask.representation)
        else {
            let type = ask.type(in: bytes)
            state.fail(stream, Failure(.sourceGone, "the source no longer has the representation \(type)"))
            return
        }
        let run = HandlerRun(handler, for: stream, isInPlace: ask.inPlaceWelcome, report: report)
        answers[stream] = AskAnswer(run: run, promises: promises)
        effects.append(.start(run))
    }

    // MARK: Ends

    /// Resolves `result` when no answer of `promises` is under way.
    mutating func expectEnd(of promises: any StreamSink, _ result: PendingResult<Void>) {
        ends.append((promises, result))
    }

    /// Resolves the waiting calls whose publication has no answer under way. Called when the output buffer is empty.
    mutating func reportEnds(_ effects: inout [ConnectionEffect]) {
        guard !ends.isEmpty else { return }
        ends.removeAll { end in
            guard !answers.all.contains(where: { $0.promises === end.promises }) else { return false }
            effects.append(.resolve(end.result, nil))
            discarded.append(.sink(end.promises))
            return true
        }
    }

    /// - Returns: the stream of the sink; nil if it has ended.
    mutating func remove(_ sink: any StreamSink) -> UInt64? {
        guard let stream = sinks.firstNumber(where: { $0 === sink }) else { return nil }
        sinks[stream] = nil
        ended(sink)
        return stream
    }

    // MARK: Answers

    /// Takes the next chunk of an answer; nil at its end.
    mutating func take(_ chunk: Result<Data?, any Error>, of ask: UInt64, _ state: inout ClientState) {
        guard answers.contains(ask) else { return }
        switch chunk {
        case .failure(let error):
            state.fail(ask, Failure(ofHandler: error))
            forget(ask)
        case .success(nil):
            state.end(ask)
            forget(ask)
        case .success(let data?):
            discard(answers[ask]?.data)
            answers[ask]?.data = data
            answers[ask]?.sent = 0
            sendable.append(ask)
        }
    }

    /// Asks for the next chunk of an answer, whose last one was sent.
    mutating func askNext(_ ask: UInt64, of chunks: any ChunkSource, _ effects: inout [ConnectionEffect]) {
        discard(answers[ask]?.data)
        answers[ask]?.data = nil
        answers[ask]?.sent = 0
        effects.append(.nextChunk(of: chunks, ask: ask))
    }

    /// Reports the progress of a handler, but not more often than people or deadlines need.
    mutating func report(_ ask: UInt64, completed: Int64, total: Int64, at now: UInt64, _ state: inout ClientState) {
        guard let answer = answers[ask], answer.data == nil, now >= answer.nextReport else { return }
        // A few reports may come at once, so that the last report before a long pause is sent.
        let earliest = now - min(now, AskAnswer.reportBurst * AskAnswer.reportInterval)
        answers[ask]?.nextReport = max(answer.nextReport, earliest) + AskAnswer.reportInterval
        state.progress(ask, completed: UInt64(clamping: completed), total: UInt64(exactly: total))
    }

    mutating func forget(_ ask: UInt64) {
        if let answer = answers.removeValue(for: ask) { discarded.append(.answer(answer)) }
        forgetLastPublications()
    }

    mutating func discard(_ data: Data?) {
        if let data { discarded.append(.data(data)) }
    }

    mutating func discard(_ bytes: OutgoingBytes) {
        discarded.append(.bytes(bytes))
    }

    mutating func discard(_ result: Result<HandlerResult, any Error>) {
        discarded.append(.result(result))
    }

    /// Ends all streams.
    mutating func fail(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        let (sinks, answers) = (self.sinks.all, self.answers.all)
        self.sinks = StreamMap()
        for promises in publications.values { discarded.append(.sink(promises)) }
        for promises in lastPublications.values { discarded.append(.sink(promises)) }
        publications = [:]
        lastPublications = [:]
        self.answers = StreamMap()
        sendable = []
        for bytes in writes { discarded.append(.bytes(bytes)) }
        writes = []
        reportEnds(&effects)
        effects.append(.resolve(greeting, failure))
        for sink in sinks { sink.lost(failure, &effects) }
        for answer in answers { answer.cancel(&effects) }
    }

    /// Moves discarded values into the effects, so that they are released after unlocking.
    mutating func release(_ effects: inout [ConnectionEffect]) {
        guard !discarded.isEmpty else { return }
        effects.append(.release(discarded))
        discarded = []
    }
}

/// A representation that the broker has asked for.
struct AskAnswer: Sendable {
    /// The interval between two reports of progress, in nanoseconds: enough for people, and far below every deadline.
    static let reportInterval: UInt64 = 100_000_000
    /// The number of reports that may be sent without an interval.
    static let reportBurst: UInt64 = 10

    let run: HandlerRun
    /// The publication or drag session that the representation belongs to.
    let promises: any StreamSink
    var data: Data?
    var sent = 0
    /// The source of the chunks after `data`.
    var chunks: (any ChunkSource)?
    var nextReport: UInt64 = 0

    /// Cancels the answer, because the bytes are no longer needed.
    func cancel(_ effects: inout [ConnectionEffect]) {
        effects.append(.cancel(run))
        if let chunks { effects.append(.cancelChunks(chunks)) }
        effects.append(.release([.answer(self)]))
    }
}

/// A value that is released after unlocking. It may be the last owner of values that a program's handlers have
/// captured, whose deinit runs the program's code.
enum DiscardedValue: Sendable {
    case answer(AskAnswer)
    case sink(any StreamSink)
    case data(Data)
    case bytes(OutgoingBytes)
    case result(Result<HandlerResult, any Error>)
}
