import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// The streams of a connection: their sinks, the publications of this process, and the answers under way.
struct ConnectionStreams {
    /// What comes of saying hello.
    let greeting = PendingResult<Void>()
    /// By stream.
    var sinks: [UInt64: any StreamSink] = [:]
    /// What this process has promised, by the handle of the publication.
    private var publications: [UInt64: any StreamSink] = [:]
    /// Publications that have ended while asks were open: a load that has begun is finished from what it was begun on.
    private var lastPublications: [UInt64: any StreamSink] = [:]
    var answers: [UInt64: AskAnswer] = [:]
    /// Calls that wait until no answer of a publication is under way.
    private var ends: [(promises: any StreamSink, result: PendingResult<Void>)] = []
    /// Answers that have bytes to send, and the credit for them.
    var sendable: [UInt64] = []
    /// What this was perhaps the last to hold. It may hold what a program's handlers have captured, whose end is the
    /// program's code: it is let go of once the lock is free.
    private var discarded: [any Sendable] = []
    /// The connection that these streams belong to.
    weak var owner: LiveConnection?

    /// What the broker says.
    mutating func take(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        _ state: inout ClientState,
        _ effects: inout Effects
    ) {
        switch event {
        case .welcomed:
            effects.append { [greeting] in greeting.resolve(.success(())) }
        case .asked(let stream, let ask):
            asked(stream, ask, &state, &effects)
        case .askCredit(let stream):
            if answers[stream]?.data != nil { sendable.append(stream) }
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
            sinks[stream] = session.destination.flatMap { sinks[$0] }?.sessionArrived(stream, session)
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
        for promises in lastPublications.values { discarded.append(promises) }
        lastPublications = [:]
    }

    private mutating func asked(_ stream: UInt64, _ ask: Ask, _ state: inout ClientState, _ effects: inout Effects) {
        let handle = ask.handle ?? 0
        guard let owner, let promises = publications[handle] ?? lastPublications[handle],
            let handler = promises.handler(item: ask.item ?? 0, representation: ask.representation ?? 0)
        else {
            state.fail(stream, Failure(.sourceGone, "the source has no representation \(ask.type) any more"))
            return
        }
        let run = HandlerRun(handler) { [weak owner] completed, total in
            owner?.report(stream, completed: completed, total: total)
        } completion: { [weak owner, isInPlace = ask.inPlaceWelcome == true] result in
            owner?.finish(stream, isInPlace ? result.map(\.located) : result)
        }
        answers[stream] = AskAnswer(run: run, promises: promises)
        effects.append { run.start() }
    }

    // MARK: What ends

    /// Resolves `result` when no answer of `promises` is under way.
    mutating func expectEnd(of promises: any StreamSink, _ result: PendingResult<Void>) {
        ends.append((promises, result))
    }

    /// Resolves the waiting calls whose publication has no answer under way. Called when the output buffer is empty.
    mutating func tellEnds(_ effects: inout Effects) {
        guard !ends.isEmpty else { return }
        ends.removeAll { end in
            guard !answers.values.contains(where: { $0.promises === end.promises }) else { return false }
            effects.append { end.result.resolve(.success(())) }
            // This may be the last reference, and its deinit may run user code: it is released after unlocking.
            discarded.append(end.promises)
            return true
        }
    }

    /// - Returns: its stream; nil if there is none any more.
    mutating func remove(_ sink: any StreamSink) -> UInt64? {
        guard let stream = sinks.first(where: { $0.value === sink })?.key else { return nil }
        sinks[stream] = nil
        ended(sink)
        return stream
    }

    mutating func forget(_ ask: UInt64) {
        if let answer = answers.removeValue(forKey: ask) { discarded.append(answer) }
        forgetLastPublications()
    }

    mutating func discard(_ data: Data?) {
        if let data { discarded.append(data) }
    }

    /// All of them.
    mutating func fail(_ failure: Failure, _ effects: inout Effects) {
        let (sinks, answers) = (self.sinks.values, self.answers.values)
        self.sinks = [:]
        for promises in publications.values { discarded.append(promises) }
        for promises in lastPublications.values { discarded.append(promises) }
        publications = [:]
        lastPublications = [:]
        self.answers = [:]
        sendable = []
        tellEnds(&effects)
        effects.append { [greeting] in greeting.resolve(.failure(PasteboardError(failure))) }
        for sink in sinks { sink.failed(failure, &effects) }
        for answer in answers { effects.append { answer.cancel() } }
    }

    /// What is to be let go of goes with the effects.
    mutating func release(_ effects: inout Effects) {
        guard !discarded.isEmpty else { return }
        let released = discarded
        discarded = []
        effects.append { withExtendedLifetime(released) {} }
    }
}

/// A representation that the broker has asked for.
struct AskAnswer: Sendable {
    /// Between two reports of progress, in nanoseconds: enough for people, and far below every deadline.
    static let reportInterval: UInt64 = 100_000_000
    /// So many may come without an interval between them.
    static let reportBurst: UInt64 = 10

    let run: HandlerRun
    /// The publication or drag session that the representation belongs to.
    let promises: any StreamSink
    var data: Data?
    var sent = 0
    /// Where the chunks after `data` come from.
    var chunks: (any ChunkSource)?
    var nextReport: UInt64 = 0

    /// Nobody wants the bytes any more.
    func cancel() {
        run.cancel()
        chunks?.cancel()
    }
}
