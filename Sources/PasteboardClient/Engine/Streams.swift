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
        /// No open answer of the contents that the slot publishes or watches.
        case quiet
        /// An ask for contents that have ended.
        case lateAsk
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
        /// The number of the contents that this stream publishes; 0 before the commit.
        var handle: UInt64?
        /// The number of open asks of the contents.
        var answers = 0
        /// Whether the stream is an ask.
        var isAsk = false
        /// The slot of the contents that an ask is for.
        var publication: Int?
        /// The slot of the contents whose answers are awaited.
        var watched: Int?
        /// Whether a nudge is to end the next wait.
        var isNudged = false
        /// The program's code that makes the bytes of the stream.
        var handler: Handler?
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

    /// Code of the program that makes bytes.
    enum Handler {
        case task(Task<Void, Never>)
        case work(any AskWork)
    }

    /// Actions for the time after unlocking.
    struct Effects {
        var waiters: [Waiter] = []
        /// The sinks with news. Also those that were removed, which must not be released under the lock.
        var sinks: [any StreamSink] = []
        var started: [any AskWork] = []
        var actions: [@Sendable () -> Void] = []
        var cancelled: [Handler] = []
        /// Handlers that have ended, which must not be released under the lock either.
        var released: [Handler] = []

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
    /// The published contents, by the number that asks name.
    private var publications: [(handle: UInt64, slot: Int)] = []
    /// The contents of sinks that have ended while asks were open.
    var lastPublications: [Int] = []
    /// The number of open asks.
    private(set) var openAsks = 0
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
        if slots[index].handle != nil {
            publications.removeAll { $0.slot == index }
            for other in slots.indices {
                if slots[other].publication == index { slots[other].publication = nil }
                if slots[other].watched == index { unwatch(other) }
            }
        }
        end(index)
        slots[index] = Slot(isUsed: false)
        free.append(UInt32(index))
        return stream == 0 || isOver ? nil : stream
    }

    mutating func limit(_ index: Int, to deadline: UInt64) {
        slots[index].deadline = deadline
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
        lastPublications = []
        for index in slots.indices where slots[index].isUsed {
            if let sink = slots[index].sink {
                deliver(sink)
                if !slots[index].isOver { sink.lost(failure, loss) }
                _ = remove(index)
            } else if case .work? = slots[index].handler {
                _ = remove(index)
            } else if slots[index].isOver {
                release(index)
            } else {
                fail(index, failure, loss)
            }
        }
    }

    /// Ends a stream on which nothing follows. Code that still makes bytes for it is cancelled.
    mutating func end(_ index: Int) {
        if let handler = slots[index].handler.take() { effects.cancelled.append(handler) }
        let isAsk = !exchange(&slots[index].isOver, with: true) && slots[index].isAsk
        release(index)
        guard isAsk else { return }
        if let publication = slots[index].publication {
            slots[publication].answers -= 1
            if slots[publication].answers == 0 {
                release(publication)
                for other in slots.indices where slots[other].watched == publication { unwatch(other) }
            }
        }
        openAsks -= 1
        forgetLastPublications()
    }

    mutating func start(_ work: any AskWork) { effects.started.append(work) }

    mutating func act(_ action: @escaping @Sendable () -> Void) { effects.actions.append(action) }

    /// Frees the slot of an answer that is complete.
    mutating func finishAnswer(_ index: Int) {
        if let handler = slots[index].handler.take() { effects.released.append(handler) }
        _ = remove(index)
    }

    var publishedHandles: [UInt64] { publications.map(\.handle) }

    func publication(of handle: UInt64?) -> Int? { publications.first { $0.handle == handle }?.slot }

    /// Lets a slot watch the answers of contents, if any are open.
    mutating func watchAnswers(of publication: Int?, from index: Int) {
        if let publication, slots[publication].answers > 0 { slots[index].watched = publication }
    }

    private mutating func unwatch(_ index: Int) {
        slots[index].watched = nil
        release(index)
    }

    /// Whether an answer of the contents that a slot publishes or watches is under way.
    func hasAnswers(_ index: Int) -> Bool { slots[index].answers > 0 || slots[index].watched != nil }

    /// Lets a stream end the code that makes bytes for it.
    mutating func setHandler(_ handler: Handler, of index: Int) {
        if slots[index].isOver { effects.cancelled.append(handler) } else { slots[index].handler = handler }
    }

    /// Whether a slot still has the use of a number; true for any use.
    func isUse(_ serial: UInt64?, of index: Int) -> Bool { serial == nil || slots[index].serial == serial }

    /// Whether frames may be sent on the stream of a slot.
    func isOpen(_ index: Int, _ serial: UInt64?) -> Bool {
        isUse(serial, of: index) && !slots[index].isOver && !slots[index].isLate
    }

    /// Ends a wait for something else than the stream, or the next one if none has begun.
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
        // Contents that have ended stay until their reader ends: the broker may have held the ask back.
        guard let publication = publications.first(where: { $0.handle == ask.handle })?.slot else {
            return state.fail(stream, Failure(.sourceGone, "the source no longer has the representation"))
        }
        let index = add(stream)
        state.setOwner(UInt32(index), of: stream)
        (slots[index].isAsk, slots[index].publication) = (true, publication)
        slots[publication].answers += 1
        openAsks += 1
        if let sink = slots[publication].sink {
            let reference = StreamReference(index, slots[index].serial, of: connection)
            asked(ask, on: reference, of: sink, in: bytes, &state)
        } else {
            slots[publication].events.append(.asked(UInt64(index), ask))
            release(publication)
        }
    }

    /// Records the number of written contents, which asks name.
    mutating func publish(_ handle: UInt64?, at index: Int) {
        guard slots[index].handle != nil else { return }
        slots[index].handle = handle ?? 0
        publications.append((handle ?? 0, index))
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
        case .askCancelled: if case .work? = slots[index].handler { _ = remove(index) } else { end(index) }
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
