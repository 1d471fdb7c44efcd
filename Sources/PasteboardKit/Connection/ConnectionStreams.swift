import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The state of a connection apart from its socket: the requests of its streams, the publications of this process, and
/// the answers to asks that are under way.
///
/// It is a value: events are its input, and calls to the client's state and effects are its output. The client's state
/// finds the request or answer of a stream: their numbers here are the owners there.
struct ConnectionStreams {
    /// The requests of open streams.
    private(set) var requests = Slots<(request: any Request, stream: UInt64)>()
    /// The publications of this process, by handle.
    private var publications: [UInt64: any Request] = [:]
    /// Publications that ended while asks were open. A load that has begun is completed from its own publication.
    private var lastPublications: [UInt64: any Request] = [:]
    var answers = Slots<AskAnswer>()
    /// Calls that wait until no answer of a publication is under way.
    private var ends: [(promises: any Request, result: PendingResult<Void>)] = []
    /// The owners of asks that have bytes to send and credit for them.
    var sendable: [UInt32] = []
    /// Bytes of writes that wait for room in the socket.
    var writes: [OutgoingBytes] = []
    private var discarded: [DiscardedValue] = []
    /// Receives the reports of all handlers.
    var report: HandlerRun.Report = { _, _ in }

    /// Opens a stream whose events are passed to `request`.
    mutating func open(
        _ request: any Request,
        _ state: inout ClientState,
        _ effects: inout [ConnectionEffect],
        _ open: (inout ClientState) throws(Failure) -> UInt64
    ) {
        guard !request.isCancelled else { return }
        do throws(Failure) {
            state.owner = requests.next
            let stream = try open(&state)
            requests.insert((request, stream))
            request.opened(stream)
        } catch {
            request.failed(error)
            effects.append(.deliver(request))
        }
    }

    /// Handles an event from the broker, whose owner is in `state`.
    ///
    /// - Parameter memory: the memory of the bytes, if they can be lent.
    mutating func handle(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        of memory: ReadMemory? = nil,
        _ state: inout ClientState,
        _ effects: inout [ConnectionEffect]
    ) {
        let owner = state.owner
        switch event {
        case .asked(let stream, let ask):
            asked(stream, ask, in: bytes, &state, &effects)
        case .askCredit:
            if answers.values[Int(owner)]?.data != nil { sendable.append(owner) }
        case .askCancelled:
            if let answer = answers.remove(owner) { answer.cancel(&effects) }
            forgetLastPublications()
        case .data(_, _, last: true), .passed:
            guard let request = requests.remove(owner)?.request else { return }
            _ = request.handle(event, in: bytes, of: memory, &state)
            effects.append(.deliver(request))
        case .failed(_, let failure):
            guard let request = end(owner) else { return }
            request.failed(failure)
            effects.append(.deliver(request))
        case .ended:
            guard let request = end(owner) else { return }
            _ = request.handle(event, in: bytes, of: memory, &state)
            effects.append(.deliver(request))
        default:
            guard let request = requests.values[Int(owner)]?.request else { return }
            switch event {
            case .session(let stream, let session):
                // Only the stream of the destination provides a request for another stream.
                if let arrived = request.sessionArrived(stream, session) {
                    return state.setOwner(requests.insert((arrived, stream)), of: stream)
                }
            case .committed(_, let committed) where request.isPublication:
                if let handle = committed.handle { publications[handle] = request }
            default: break
            }
            if request.handle(event, in: bytes, of: memory, &state) { effects.append(.deliver(request)) }
        }
    }

    /// Removes a request, which may be a publication.
    private mutating func end(_ owner: UInt32) -> (any Request)? {
        guard let request = requests.remove(owner)?.request else { return nil }
        guard request.isPublication, let handle = publications.first(where: { $0.value === request })?.key else {
            return request
        }
        publications[handle] = nil
        if !answers.isEmpty { lastPublications[handle] = request }
        return request
    }

    private mutating func forgetLastPublications() {
        guard answers.isEmpty, !lastPublications.isEmpty else { return }
        for promises in lastPublications.values { discarded.append(.request(promises)) }
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
        state.setOwner(answers.insert(AskAnswer(run: run, promises: promises)), of: stream)
        effects.append(.start(run))
    }

    // MARK: Ends

    /// Resolves `result` when no answer of `promises` is under way.
    mutating func expectEnd(of promises: any Request, _ result: PendingResult<Void>) {
        ends.append((promises, result))
    }

    /// Resolves the waiting calls whose publication has no answer under way. Called when the output buffer is empty.
    mutating func reportEnds(_ effects: inout [ConnectionEffect]) {
        guard !ends.isEmpty else { return }
        ends.removeAll { end in
            guard !answers.all.contains(where: { $0.promises === end.promises }) else { return false }
            effects.append(.resolve(end.result, nil))
            discarded.append(.request(end.promises))
            return true
        }
    }

    /// - Returns: the stream of the request; nil if it has ended.
    mutating func remove(_ request: any Request) -> UInt64? {
        guard let owner = requests.values.firstIndex(where: { $0?.request === request }) else { return nil }
        let stream = requests.values[owner]?.stream
        _ = end(UInt32(truncatingIfNeeded: owner))
        return stream
    }

    // MARK: Answers

    /// Handles the next chunk of an answer; nil at its end.
    mutating func handle(_ chunk: Result<Data?, any Error>, of ask: UInt64, _ state: inout ClientState) {
        let owner = state.owner(of: ask)
        guard answers.contains(owner) else { return }
        switch chunk {
        case .failure(let error):
            state.fail(ask, Failure(ofHandler: error))
            forget(owner)
        case .success(nil):
            state.end(ask)
            forget(owner)
        case .success(let data?):
            send(data, to: owner)
        }
    }

    /// Sends bytes of an answer as soon as its credit and the socket allow.
    mutating func send(_ data: Data, to owner: UInt32) {
        discard(answers.values[Int(owner)]?.data)
        answers[owner]?.proceed(to: data)
        sendable.append(owner)
    }

    /// Asks for the next chunk of an answer, whose last one was sent.
    mutating func askNext(_ owner: UInt32, of chunks: any ChunkSource, _ effects: inout [ConnectionEffect]) {
        discard(answers.values[Int(owner)]?.data)
        answers[owner]?.proceed(to: nil)
        effects.append(.nextChunk(of: chunks, ask: answers.values[Int(owner)]?.run.ask ?? 0))
    }

    /// Reports the progress of a handler, but not more often than people or deadlines need.
    mutating func report(_ ask: UInt64, completed: Int64, total: Int64, at now: UInt64, _ state: inout ClientState) {
        let owner = state.owner(of: ask)
        guard let answer = answers[owner], answer.data == nil, now >= answer.nextReport else { return }
        // A few reports may come at once, so that the last report before a long pause is sent.
        let earliest = now - min(now, AskAnswer.reportBurst * AskAnswer.reportInterval)
        answers[owner]?.nextReport = max(answer.nextReport, earliest) + AskAnswer.reportInterval
        state.progress(ask, completed: UInt64(clamping: completed), total: UInt64(exactly: total))
    }

    mutating func forget(_ owner: UInt32) {
        if let answer = answers.remove(owner) { discarded.append(.answer(answer)) }
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
        let (requests, answers) = (self.requests.all, self.answers.all)
        self.requests = Slots()
        for promises in publications.values { discarded.append(.request(promises)) }
        for promises in lastPublications.values { discarded.append(.request(promises)) }
        publications = [:]
        lastPublications = [:]
        self.answers = Slots()
        sendable = []
        for bytes in writes { discarded.append(.bytes(bytes)) }
        writes = []
        reportEnds(&effects)
        for (request, _) in requests {
            request.lost(failure)
            effects.append(.deliver(request))
        }
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
    let promises: any Request
    var data: Data?
    var sent = 0
    /// The source of the chunks after `data`.
    var chunks: (any ChunkSource)?
    var nextReport: UInt64 = 0

    /// Sets the bytes to be sent next; nil while they do not exist.
    mutating func proceed(to data: Data?) {
        (self.data, sent) = (data, 0)
    }

    /// Cancels the answer, because the bytes are no longer needed.
    func cancel(_ effects: inout [ConnectionEffect]) {
        effects.append(.cancel(run))
        if let chunks { effects.append(.cancelChunks(chunks)) }
        effects.append(.release([.answer(self)]))
    }
}

/// Bytes of a write that are being sent: a chunk of a kept representation, or its end.
struct OutgoingBytes: Sendable {
    let stream: UInt64
    let data: Data
    /// Whether the representation ends with these bytes.
    var isLast = false
    /// Adds the frames that follow directly, without a moment in which others could be sent on the stream: the next
    /// item or the commit.
    var next: (@Sendable (inout ClientState) throws(Failure) -> Void)?
    /// Resolved when the socket has taken the bytes, or when the write has ended.
    let result = PendingResult<Void>()
    /// The number of bytes that were sent.
    var sent = 0
}

/// A value that is released after unlocking. It may be the last owner of values that a program's handlers have
/// captured, whose deinit runs the program's code.
enum DiscardedValue: Sendable {
    case answer(AskAnswer)
    case request(any Request)
    case data(Data)
    case bytes(OutgoingBytes)
    case result(Result<HandlerResult, any Error>)
}

/// Values with numbers that do not change, which are assigned again after a removal. Number 0 is never assigned.
struct Slots<Value: Sendable>: Sendable {
    /// The value of each number.
    private(set) var values: [Value?] = [nil]
    private var free: [UInt32] = []

    var isEmpty: Bool { count == 0 }
    var count: Int { values.count - 1 - free.count }
    var all: [Value] { values.compactMap(\.self) }
    /// The number that the next value gets.
    var next: UInt32 { free.last ?? UInt32(truncatingIfNeeded: values.count) }

    /// A value that was inserted; nil for another number. It is copied, so a part of it is read through `values`.
    subscript(_ number: UInt32) -> Value? {
        get { values[Int(number)] }
        @inline(__always) _modify { yield &values[Int(number)] }
    }

    func contains(_ number: UInt32) -> Bool { values[Int(number)] != nil }

    @discardableResult
    mutating func insert(_ value: consuming Value) -> UInt32 {
        guard let number = free.popLast() else {
            values.append(value)
            return UInt32(truncatingIfNeeded: values.count - 1)
        }
        values[Int(number)] = value
        return number
    }

    mutating func remove(_ number: UInt32) -> Value? {
        guard let value = values[Int(number)].take() else { return nil }
        free.append(number)
        return value
    }
}
