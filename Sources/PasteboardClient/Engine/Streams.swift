import PasteboardTransport
import PasteboardWire

/// The streams of a connection: what has arrived on each, and the task that waits for more.
struct Streams {
    /// The thing that a task waits for.
    enum Want {
        case event
        /// Credit and room in the socket.
        case room
        /// An empty output: the socket has taken all bytes.
        case sent
        /// The end of the answers that the slot watches.
        case quiet
    }

    /// The asks whose end a slot watches.
    enum Asks: Equatable {
        case all
        /// Asks for the contents with this handle.
        case contents(UInt64)
    }

    /// Contents of this program for which the broker may ask.
    private struct Published: Sendable {
        let handle: UInt64
        let answerer: Answerer
        var isOver = false
    }

    struct Slot {
        /// A number that no other use of the slot has.
        var serial: UInt64 = 0
        /// 0 for a slot that is free, or that has no number yet.
        var stream: UInt64 = 0
        var isUsed = true
        var waiter: UnsafeContinuation<Void, Never>?
        var want = Want.event
        /// The time at which each wait fails (see `MonotonicClock`).
        var deadline = UInt64.max
        var isLate = false
        /// The timeout of a load, in milliseconds; the deadline is 50 ms later.
        var timeout: UInt64?
        var events: [ClientEvent] = []
        var load: LoadOperation?
        /// The bytes of a load that were not taken.
        var bytes: [UInt8] = []
        var failure: (failure: Failure, loss: Loss)?
        /// Nothing follows.
        var isOver = false
        /// Whether this is the stream of a destination, on which sessions arrive.
        var isDestination = false
        /// Makes the sinks of the sessions; nil if the reader takes them.
        var arrivals: SessionSinkMaker?
        /// Answers the asks for what this stream publishes, from its commit on.
        var answerer: Answerer?
        /// The handle of the contents that this stream has published, or that the ask is for.
        var handle: UInt64?
        /// Whether the stream is an ask.
        var isAsk = false
        /// The asks whose end is awaited.
        var watched: Asks?
        /// Whether a nudge is to end the next wait.
        var isNudged = false
        /// The answer to an ask.
        var work: (any AskWork)?
        /// Takes the events, if no task does.
        var sink: (any StreamSink)?

        /// Whether there is something to be read.
        // `mutating`, because a borrowing call would copy the whole slot for its callee.
        var isReady: Bool {
            mutating get {
                isOver || isLate || !events.isEmpty || !bytes.isEmpty || load?.isNews == true
            }
        }
    }

    /// Actions for the time after unlocking.
    struct Effects {
        var waiters: [Waiter] = []
        /// The sinks with news. Also those that were removed, which must not be released under the lock.
        var sinks: [any StreamSink] = []
        var started: [any AskWork] = []
        var actions: [@Sendable () -> Void] = []
        var cancelled: [any AskWork] = []
        /// Values that must not be released under the lock, because they contain values of the program.
        var released: [any Sendable] = []

        var isEmpty: Bool {
            waiters.isEmpty && sinks.isEmpty && started.isEmpty && actions.isEmpty && cancelled.isEmpty
                && released.isEmpty
        }
    }

    /// The slots. The first is that of streams that nobody reads.
    var slots: [Slot] = [Slot()]
    /// The slots that wait for credit or for the socket.
    var blocked: [UInt32] = []
    /// The first deadline.
    private(set) var earliest = UInt64.max
    private var free: [UInt32] = []
    private var lastSerial: UInt64 = 0
    private var effects = Effects()
    /// The contents of this program. Those that have ended stay while asks are open: the broker sends only so many at
    /// once, and may have held back one of a load that began before the end.
    private var published: [Published] = []
    /// The number of open asks.
    private(set) var openAsks = 0
    /// The slots that watch the end of answers.
    private var watching: [Int] = []
    private var greeting = 0
    /// The time at which the broker has answered hello (see `MonotonicClock`).
    private(set) var welcomedAt: UInt64 = 0

    mutating func takeEffects() -> Effects { effects.isEmpty ? Effects() : exchange(&effects, with: Effects()) }

    // MARK: Slots

    mutating func add(_ stream: UInt64 = 0) -> Int {
        lastSerial += 1
        guard let index = free.popLast().map({ Int($0) }) else {
            slots.append(Slot(serial: lastSerial, stream: stream))
            return slots.count - 1
        }
        slots[index] = Slot(serial: lastSerial, stream: stream)
        return index
    }

    /// The slot of the welcome.
    mutating func greet() -> Int {
        greeting = add()
        return greeting
    }

    /// - Returns: the stream, if it is open.
    mutating func remove(_ index: Int) -> UInt64? {
        let (stream, isOver) = (slots[index].stream, slots[index].isOver)
        if let answerer = slots[index].answerer.take() { unpublish(slots[index].handle, answerer) }
        end(index)
        if let arrivals = slots[index].arrivals { effects.released.append(arrivals) }
        if slots[index].watched != nil { watching.removeAll { $0 == index } }
        slots[index] = Slot(isUsed: false)
        free.append(UInt32(index))
        return stream == 0 || isOver ? nil : stream
    }

    mutating func limit(_ index: Int, to deadline: UInt64) {
        (slots[index].deadline, slots[index].isLate) = (deadline, false)
        earliest = min(earliest, deadline)
    }

    mutating func resume(_ waiter: Waiter) { effects.waiters.append(waiter) }

    mutating func deliver(_ sink: any StreamSink) { effects.sinks.append(sink) }

    mutating func release(_ index: Int) {
        if let waiter = slots[index].waiter.take() { effects.waiters.append(Waiter(continuation: waiter)) }
    }

    mutating func fail(_ index: Int, _ failure: Failure, _ loss: Loss) {
        slots[index].failure = (failure, loss)
        end(index)
    }

    mutating func failAll(_ failure: Failure, _ loss: Loss) {
        for index in slots.indices where slots[index].isUsed {
            if let sink = slots[index].sink {
                deliver(sink)
                sink.failed(failure)
                _ = remove(index)
            } else if slots[index].isAsk {
                _ = remove(index)
            } else if slots[index].isOver {
                release(index)
            } else {
                fail(index, failure, loss)
            }
        }
    }

    /// Ends a stream on which nothing follows. An answer that is not complete is cancelled.
    mutating func end(_ index: Int) {
        if let work = slots[index].work.take() { effects.cancelled.append(work) }
        let isOpenAsk = !exchange(&slots[index].isOver, with: true) && slots[index].isAsk
        release(index)
        guard isOpenAsk else { return }
        openAsks -= 1
        for slot in watching where !hasAnswers(slot) { release(slot) }
        guard openAsks == 0, published.contains(where: \.isOver) else { return }
        effects.released.append(published)
        published.removeAll(where: \.isOver)
    }

    mutating func act(_ action: @escaping @Sendable () -> Void) { effects.actions.append(action) }

    /// Frees the slot of an answer that is complete.
    mutating func finishAnswer(_ index: Int) {
        if let work = slots[index].work.take() { effects.released.append(work) }
        _ = remove(index)
    }

    /// Ends contents, if they were published.
    private mutating func unpublish(_ handle: UInt64?, _ answerer: @escaping Answerer) {
        effects.released.append(answerer)
        guard let handle, let index = published.firstIndex(where: { $0.handle == handle }) else { return }
        if openAsks > 0 { published[index].isOver = true } else { published.remove(at: index) }
    }

    /// Lets a slot watch the end of answers.
    mutating func watch(_ asks: Asks, from index: Int) {
        slots[index].watched = asks
        watching.append(index)
    }

    /// Whether answers that a slot watches are under way.
    func hasAnswers(_ index: Int) -> Bool {
        switch slots[index].watched {
        case nil: false
        case .all: openAsks > 0
        case .contents(let handle): answerCount(of: handle) > 0
        }
    }

    func answerCount(of handle: UInt64) -> Int {
        slots.count { $0.isAsk && !$0.isOver && $0.handle == handle }
    }

    /// Whether the slot was not reused since it got this number; true for nil.
    func isUse(_ serial: UInt64?, of index: Int) -> Bool { serial == nil || slots[index].serial == serial }

    /// Whether frames may be sent on the stream of a slot.
    func isOpen(_ index: Int, _ serial: UInt64?) -> Bool {
        isUse(serial, of: index) && !slots[index].isOver && !slots[index].isLate
    }

    /// Ends the present wait at a slot, whatever it is for, or the next one if there is none.
    mutating func nudge(_ index: Int, _ serial: UInt64) {
        guard slots[index].serial == serial else { return }
        if slots[index].waiter == nil { slots[index].isNudged = true } else { release(index) }
    }

    mutating func expire() {
        let now = MonotonicClock.now()
        earliest = .max
        for index in slots.indices where slots[index].deadline != .max && !slots[index].isLate {
            if slots[index].deadline <= now {
                slots[index].isLate = true
                release(index)
            } else {
                earliest = min(earliest, slots[index].deadline)
            }
        }
    }

    // MARK: Events

    @inline(__always)
    mutating func handle(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        of memory: ReadMemory,
        at connection: BrokerConnection,
        _ state: inout ClientState
    ) {
        let index = Int(state.owner)
        switch event {
        // The compiler knows the case of the frequent events, which contain only numbers.
        case .data(let stream, let payload, let isLast):
            let event = ClientEvent.data(stream, payload: payload, last: isLast)
            if let sink = slots[index].sink {
                return pass(event, to: sink, at: index, in: bytes, of: memory, &state, isEnd: isLast)
            }
            load(event, at: index, in: bytes, &state)
            if isLast { end(index) }
        case .answered(let stream, let answer):
            if let sink = slots[index].sink {
                return pass(.answered(stream, answer), to: sink, at: index, in: bytes, of: memory, &state)
            }
            load(.answered(stream, answer), at: index, in: bytes, &state)
        case .asked(let stream, let ask): asked(stream, ask, in: bytes, at: connection, &state)
        default: other(event, at: index, in: bytes, &state)
        }
    }

    @inline(__always)
    private mutating func load(
        _ event: ClientEvent,
        at index: Int,
        in bytes: Span<UInt8>,
        _ state: inout ClientState
    ) {
        guard slots[index].load != nil, let step = slots[index].load?.handle(event, in: bytes) else { return }
        switch step {
        case .answered: slots[index].bytes.reserveCapacity(Int(min(slots[index].load?.byteCount ?? 0, 1 << 20)))
        case .bytes(let range):
            slots[index].bytes.append(copying: bytes.extracting(range))
        default: break
        }
        if slots[index].waiter != nil, slots[index].isReady { release(index) }
    }

    private mutating func asked(
        _ stream: UInt64,
        _ ask: AskFields,
        in bytes: Span<UInt8>,
        at connection: BrokerConnection,
        _ state: inout ClientState
    ) {
        let index = add(stream)
        let reference = StreamReference(index, slots[index].serial, of: connection)
        guard let work = published.first(where: { $0.handle == ask.handle })?.answerer(ask, reference) else {
            _ = remove(index)
            let text = "the source no longer has the representation \(ask.type(in: bytes))"
            return state.fail(stream, Failure(.sourceGone, text))
        }
        state.setOwner(UInt32(index), of: stream)
        (slots[index].isAsk, slots[index].handle, slots[index].work) = (true, ask.handle, work)
        openAsks += 1
        effects.started.append(work)
    }

    /// Records the handle of written contents, by which asks name them.
    mutating func publish(_ handle: UInt64?, at index: Int) {
        guard let answerer = slots[index].answerer, slots[index].handle == nil else { return }
        slots[index].handle = handle ?? 0
        published.append(Published(handle: handle ?? 0, answerer: answerer))
    }

    @inline(never)
    private mutating func other(
        _ event: ClientEvent,
        at index: Int,
        in bytes: Span<UInt8>,
        _ state: inout ClientState
    ) {
        switch event {
        case .welcomed:
            welcomedAt = MonotonicClock.now()
            slots[greeting].events.append(event)
            release(greeting)
        case _ where index == 0: break
        case .askCredit: if slots[index].want == .room { release(index) }
        case .askCancelled: _ = remove(index)
        case _ where slots[index].sink != nil: passOther(event, at: index, in: bytes, &state)
        case .failed(_, let failure): fail(index, failure, Loss(failure))
        case .progress, .passed:
            load(event, at: index, in: bytes, &state)
            if case .passed = event { end(index) }
        case .ended:
            if slots[index].load != nil {
                load(event, at: index, in: bytes, &state)
            } else {
                slots[index].events.append(event)
            }
            end(index)
        case .session(let stream, let session) where slots[index].isDestination:
            let slot = add(stream)
            state.setOwner(UInt32(slot), of: stream)
            slots[slot].sink = slots[index].arrivals?(stream, session)
            guard slots[slot].sink == nil else { return }
            slots[slot].events.append(event)
            slots[index].events.append(.session(UInt64(slot), session))
            release(index)
        case .committed(_, let committed):
            publish(committed.handle, at: index)
            fallthrough
        default:
            slots[index].events.append(event)
            release(index)
        }
    }
}

/// A task that waits. A type of its own, because the metadata of an array of continuations takes 100,000 instructions.
struct Waiter: Sendable {
    let continuation: UnsafeContinuation<Void, Never>
}
