import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import Synchronization

/// A connected socket to a broker, which a thread of the ``PasteboardConnection`` serves.
///
/// The caller writes its own request while holding the lock; no blocking call is made under it. The thread writes the
/// bytes that the socket does not accept at once. It also reads the socket, and resumes waiting tasks after it has
/// released the lock. A load therefore needs only one thread switch.
///
/// ## Lock order
///
/// A thread that holds one of these locks takes only locks of a later line:
///
/// 1. `PasteboardConnection.state`
/// 2. `LiveConnection.core`
/// 3. `OnceHandler.state`, and the state of a ``Request``, `DestinationRequest.arrivals` and the session that it
///    contains
/// 4. `GrowingBytes.state`
/// 5. all others, under which no further lock is taken: `LiveConnection.inbox`, `HandlerQueue`, `ResultCell`,
///    `EventQueue`, `ChunkStream`, `DropWindow`, ...
///
/// No lock is held while the program's code runs, a task is resumed, or a value of the program is released. A change
/// collects these actions as effects, which are performed after unlocking.
final class LiveConnection: Sendable {
    private let core: Lock<ConnectionCore>
    private let handlers: HandlerQueue
    private let inbox = Lock(Inbox())
    private let wake: EventDescriptor
    private let descriptor: CInt
    private let startedAt = MonotonicClock.now()
    private let owner = ForkGuard()
    /// The states that a process created by fork gives up.
    private let restoration: Restoration
    private let isClosing = Atomic<Bool>(false)

    init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        hello: Hello,
        timeouts: ConnectionTimeouts,
        restoration: Restoration
    ) throws(SystemError) {
        descriptor = socket.raw
        self.restoration = restoration
        wake = try EventDescriptor()
        var io = ConnectionIO(adopting: socket, path: path, hello: hello, closer: .shared)
        io.timeouts = timeouts
        core = Lock(ConnectionCore(io))
        let reference = Reference()
        handlers = HandlerQueue { reference.live?.add($0) }
        reference.live = self
        core.withLock { core in
            core.streams.report = { run, report in
                switch report {
                case .progress(let completed, let total):
                    reference.live?.report(run.ask, completed: completed, total: total)
                case .result(let result):
                    reference.live?.add(FinishedRun(run, result))
                }
            }
        }
    }

    /// The connection as its handlers refer to it: one that runs longer does not keep the socket open.
    private final class Reference: Sendable {
        private struct State {
            weak var live: LiveConnection?
        }

        private let state = Lock(State())

        var live: LiveConnection? {
            get { state.withLock { $0.live } }
            set { state.withLock { $0.live = newValue } }
        }
    }

    /// Whether the connection has ended. An ended connection is never used again.
    var isOver: Bool { core.withLock { $0.isOver } }

    /// The failure with which the connection has ended.
    var failure: Failure? { core.withLock { $0.io.state.failure } }

    /// The way in which the connection has ended; nil while it has not, or if this program has ended it.
    var loss: Loss? { core.withLock { $0.io.loss } }

    /// The way in which the broker was lost for a request over this connection that has failed with `error`; `other` if
    /// it was not.
    func loss(of error: PasteboardError) -> Loss {
        guard [.brokerRestarted, .brokerStopped].contains(error.code) else { return .other }
        let refused: Loss = error.code == .brokerStopped ? .stopped : .refused
        return core.withLock { $0.isOver ? $0.io.loss ?? .other : refused }
    }

    /// Whether requests can be made: the connection has not ended, and the broker has not announced its end. Nothing is
    /// locked, because each load asks for it.
    var takesRequests: Bool { !isClosing.load(ordering: .relaxed) }

    // MARK: The thread

    /// Sends the hello frame, and waits for the answer.
    ///
    /// - Returns: whether the broker ended before it answered.
    func greet() -> Bool {
        change { _, _ in }
        turn { core in core.io.state.welcome == nil }
        return core.withLock { $0.io.isGoneUnanswered }
    }

    /// Reads and writes until the end of the connection.
    func serve() {
        turn { _ in true }
        let serves = inbox.withLock { $0.loseThread() }
        // Fails the requests that were made between the loss and now.
        change { core, effects in core.lose(core.failure, &effects) }
        if serves { makeChanges() }
    }

    /// Reads and writes while the connection lasts and `goesOn` holds.
    private func turn(while goesOn: (inout ConnectionCore) -> Bool) {
        var wait = core.withLock { goesOn(&$0) ? $0.nextWait(isIdle: false) : nil }
        // Its memory is used by all turns.
        var effects: [ConnectionEffect] = []
        while let current = wait {
            let socket = PollInterest(descriptor, current.wantsWrite ? [.readable, .writable] : .readable)
            let signal = PollInterest(wake.raw, .readable)
            let (ready, woken) = (try? System.poll(socket, signal, milliseconds: current.milliseconds)) ?? ([], [])
            if !woken.isEmpty { wake.drain() }
            let isIdle = ready.isEmpty && woken.isEmpty
            let isReadable = !ready.subtracting(.writable).isEmpty
            wait = core.withLock { core -> ConnectionCore.Wait? in
                core.turn(isReadable: isReadable, &effects)
                if !core.takesRequests { isClosing.store(true, ordering: .relaxed) }
                core.streams.release(&effects)
                return goesOn(&core) ? core.nextWait(isIdle: isIdle) : nil
            }
            // Tasks that continue while others are resumed leave their requests to this thread.
            let serves = (effects.count > 1 || !woken.isEmpty) && inbox.withLock { $0.claim() }
            perform(effects)
            effects.removeAll(keepingCapacity: effects.count <= 64)
            if serves { makeChanges() }
        }
    }

    // MARK: Requests

    /// Makes the request of a load that need not precede any other request.
    func open(_ load: DataLoad) {
        make(.load(load))
    }

    /// Handles the result of a handler.
    private func add(_ result: FinishedRun) {
        make(.result(result))
    }

    private func make(_ change: Inbox.Change) {
        switch inbox.withLock({ $0.add(change) }) {
        case .serve:
            var effects: [ConnectionEffect] = []
            let underWay = self.change(&effects) { core, effects in
                switch change {
                case .load(let load): core.open(load, &effects)
                case .result(let run): core.finish(run, &effects)
                }
                return core.underWay
            }
            makeChanges(effects, underWay: underWay)
        case .wake where owner.isInOwner: wake.signal()
        case .none where owner.isInOwner: break
        // A process created by fork has no thread that serves. The changes fail there.
        case .wake, .none:
            inbox.withLock { $0.loseThreads() }
            makeChanges()
        }
    }

    /// Makes the changes that wait in the inbox, until there are none.
    ///
    /// - Parameters:
    ///   - earlier: the effects of a change that the caller has made. All effects are performed at the end, because the
    ///     program's code that runs then may wait for other changes.
    ///   - underWay: the number of streams under way after that change.
    private func makeChanges(_ earlier: consuming [ConnectionEffect] = [], underWay: Int? = nil) {
        var (effects, underWay) = (earlier, underWay)
        // Taken before the connection is locked, because it must not be while a cancelled load is released.
        while let (loads, results) = inbox.withLock({ $0.take(underWay: underWay) }) {
            underWay = change(&effects) { core, effects in
                for run in results { core.finish(run, &effects) }
                for load in loads { core.open(load, &effects) }
                return core.underWay
            }
        }
        perform(effects)
    }

    /// Makes a request. All events of its stream are passed to it.
    func open(_ request: any Request, _ open: @Sendable (inout ClientState) throws(Failure) -> UInt64) {
        change { core, effects in core.streams.open(request, &core.io.state, &effects, open) }
    }

    /// Sends frames on open streams.
    func tell(_ wish: @Sendable (inout ClientState) -> Void) {
        change { core, _ in wish(&core.io.state) }
    }

    /// Sends bytes of a write, and returns when the socket has taken them or the write has ended.
    func send(_ bytes: OutgoingBytes) async throws(PasteboardError) {
        try await bytes.result.value {
            bytes.result.resolve(.failure(.cancelled))
        } start: {
            change { core, effects in
                if core.isOver {
                    effects.append(.resolve(bytes.result, core.failure))
                } else {
                    core.streams.writes.append(bytes)
                }
            }
        }
    }

    /// Reports to the broker that a write continues, unless its bytes already wait for the socket.
    func keepAlive(_ stream: UInt64) {
        change { core, _ in
            if !core.io.wantsWrite { core.io.state.keepAlive(stream) }
        }
    }

    /// The numbers of the features that the broker has, too; empty until the broker has answered the hello.
    var features: [UInt32] { core.withLock { $0.io.state.welcome?.features ?? [] } }

    /// Whether the broker has a feature; false until the broker has answered the hello.
    func has(_ feature: Feature) -> Bool { features.contains(feature.rawValue) }

    /// The epoch of the broker; nil until the broker has answered the hello.
    var epoch: UInt64? { core.withLock { $0.io.state.welcome?.epoch } }

    /// Whether contents of an earlier broker may still come back.
    var expectsReclaims: Bool {
        guard let settling = core.withLock({ $0.io.state.welcome?.settlingMilliseconds }) else { return false }
        // The settling time begins at the welcome, for which a second is added. At worst, the broker is asked when the
        // time is over already.
        let longest = 1_000 + min(settling, 3_600_000)
        return MonotonicClock.now() < startedAt.addingClamped(longest * 1_000_000)
    }

    /// Passes no further events to a publication that continues at another broker, also not the loss of this
    /// connection. Its answers that are under way continue.
    func forget(_ request: any Request) {
        change { core, _ in
            guard let stream = core.streams.remove(request) else { return }
            // No request has number 0, and this one is assigned again.
            core.io.state.setOwner(0, of: stream)
        }
    }

    /// Cancels a request whose result is no longer needed.
    func cancel(_ request: any Request) {
        change { core, _ in core.cancel(request) }
    }

    /// Renews the credit of a load whose reader has consumed `count` more bytes.
    func consumed(_ stream: UInt64, count: Int) {
        change { core, _ in core.io.state.consumed(stream, count: count) }
    }

    // MARK: Answers

    /// Waits until all loads of a publication have ended and their bytes have been written to the socket, or until the
    /// connection ends, or until the deadline.
    func answersEnded(of promises: any Request, by deadline: LoadDeadline? = nil) async {
        let result = PendingResult<Void>()
        change { core, effects in
            if core.isOver { return effects.append(.resolve(result, nil)) }
            core.streams.expectEnd(of: promises, result)
        }
        let timer = deadline?.timer { result.resolve(.success(())) }
        defer { timer?.cancel() }
        try? await result.value(onCancel: { result.resolve(.success(())) })
    }

    private func report(_ ask: UInt64, completed: Int64, total: Int64) {
        change { core, _ in
            core.streams.report(ask, completed: completed, total: total, at: MonotonicClock.now(), &core.io.state)
        }
    }

    // MARK: Driving

    /// Ends the connection with `failure`.
    func close(_ failure: Failure) {
        change { core, effects in core.lose(failure, &effects) }
        wake.signal()
    }

    /// Changes the connection, sends the resulting frames, and performs the effects.
    private func change(_ body: @Sendable (inout ConnectionCore, inout [ConnectionEffect]) -> Void) {
        var effects: [ConnectionEffect] = []
        change(&effects, body)
        perform(effects)
    }

    /// Changes the connection, and sends the resulting frames. The caller performs the effects.
    private func change<Value: Sendable>(
        _ effects: inout [ConnectionEffect],
        _ body: @Sendable (inout ConnectionCore, inout [ConnectionEffect]) -> Value
    ) -> Value {
        let (value, isForThread) = core.withLock { core -> (Value, Bool) in
            let waited = core.io.wantsWrite
            let value = body(&core, &effects)
            core.flush(&effects)
            core.streams.release(&effects)
            return (value, core.needsWakeUp(waitedToWrite: waited))
        }
        if isForThread { wake.signal() }
        return value
    }

    private func perform(_ effects: [ConnectionEffect]) {
        var hasAsyncRuns = false
        for effect in effects {
            switch effect {
            case .deliver(let request):
                request.deliver()
            case .resolve(let result, let failure):
                result.resolve(failure.map { .failure(PasteboardError($0)) } ?? .success(()))
            case .start(let run):
                if run.isAsync { hasAsyncRuns = true } else { run.start() }
            case .cancel(let run):
                run.cancel()
            case .cancelChunks(let chunks):
                chunks.cancel()
            case .nextChunk(let chunks, let ask):
                chunks.next { [weak self] chunk in
                    self?.change { core, _ in core.streams.handle(chunk, of: ask, &core.io.state) }
                }
            case .lost(let failure):
                isClosing.store(true, ordering: .relaxed)
                // A process created by fork must not connect in the place of its parent.
                if !owner.isInOwner { restoration.giveUp(PasteboardError(failure)) }
            case .release:
                // The values are released with the array of effects.
                break
            }
        }
        if hasAsyncRuns { handlers.add(effects.lazy.compactMap(\.asyncRun)) }
    }
}
