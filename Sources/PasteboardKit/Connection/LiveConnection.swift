import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// One life of a connection: a socket to a broker, and the thread that reads it.
///
/// Whoever has a request writes it himself, under the lock, which no call that could wait is made under; what the socket
/// does not take is left to the thread. The thread reads, and wakes whoever waits once the lock is free: one change of
/// threads for a load, and no more.
final class LiveConnection: Sendable {
    private let core: Lock<ConnectionCore>
    private let wake: EventDescriptor
    private let descriptor: CInt

    /// Starts the thread, which ends with the connection.
    init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        hello: Hello,
        patience: Patience
    ) throws(SystemError) {
        descriptor = socket.raw
        wake = try EventDescriptor()
        var io = ConnectionIO(adopting: socket, path: path, hello: hello, closer: .shared)
        io.patience = patience
        core = Lock(ConnectionCore(io))
        core.withLock { $0.streams.owner = self }
        try SystemThread(name: "pasteboard") { self.run() }.detach()
    }

    /// Whether the connection is over; it does not come back.
    var isOver: Bool { core.withLock { $0.isOver } }

    /// Says hello, once, and waits for the answer.
    ///
    /// - Returns: whether the broker was gone before it has answered.
    func greet() async -> Bool {
        change { _, _ in }
        try? await core.withLock { $0.streams.greeting }.value(onCancel: {})
        return core.withLock { $0.io.isGoneUnanswered }
    }

    // MARK: Requests

    /// Makes a request; everything that comes of it goes to `sink`.
    func open(
        _ sink: any StreamSink,
        _ request: @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) {
        changeSoon(behind: .tasks) { core, effects in
            guard !sink.isCancelled else { return }
            do throws(Failure) {
                let stream = try request(&core.io.state)
                core.streams.sinks[stream] = sink
                sink.opened(stream)
            } catch {
                sink.failed(error, &effects)
            }
        }
    }

    /// Says something on streams that are open.
    func tell(_ wish: @Sendable (inout ClientState) -> Void) {
        change { core, _ in wish(&core.io.state) }
    }

    /// Names the life of the broker; known once it has answered.
    var epoch: UInt64? { core.withLock { $0.io.state.welcome?.epoch } }

    /// Nobody waits for what `sink` was to get.
    func cancel(_ sink: any StreamSink) {
        change { core, _ in core.cancel(sink) }
    }

    /// The reader of a load has taken so many bytes of what was held for it.
    func consumed(_ stream: UInt64, count: Int) {
        change { core, _ in core.io.state.consumed(stream, count: count) }
    }

    // MARK: Answers

    /// Returns once no load of a publication is under way and all its bytes have been written to the socket, or when the
    /// connection ends.
    func answersEnded(of promises: any StreamSink) async {
        let result = PendingResult<Void>()
        change { core, effects in
            if core.isOver { return effects.append { result.resolve(.success(())) } }
            core.streams.expectEnd(of: promises, result)
        }
        try? await result.value(onCancel: { result.resolve(.success(())) })
    }

    func finish(_ ask: UInt64, _ result: Result<HandlerResult, any Error>) {
        changeSoon(behind: .handlers) { core, effects in core.finish(ask, result, &effects) }
    }

    /// The next chunk of an answer; nil at its end.
    func goOn(_ ask: UInt64, with chunk: Result<Data?, any Error>) {
        change { core, _ in core.goOn(ask, with: chunk) }
    }

    func report(_ ask: UInt64, completed: Int64, total: Int64) {
        change { core, _ in core.report(ask, completed: completed, total: total) }
    }

    // MARK: Driving

    /// Ends the connection, for `failure`.
    func close(_ failure: Failure) {
        change { core, effects in core.lose(failure, &effects) }
        wake.signal()
    }

    /// Changes the connection, sends what that brought about, and performs the effects.
    private func change(_ body: @Sendable (inout ConnectionCore, inout Effects) -> Void) {
        let (effects, isForThread) = core.withLock { core -> (Effects, Bool) in
            var effects: Effects = []
            let waited = core.io.wantsWrite
            body(&core, &effects)
            core.flush(&effects)
            core.streams.release(&effects)
            return (effects, core.takesWakeUp(waitedToWrite: waited))
        }
        if isForThread { wake.signal() }
        for effect in effects { effect() }
    }

    private enum Others {
        case tasks
        case handlers
    }

    /// As `change`; but where much is under way, what is to be sent waits a moment for more that shares its write.
    ///
    /// - Parameter others: whose turns come first: what they have to send goes with it.
    private func changeSoon(
        behind others: Others,
        _ body: @Sendable (inout ConnectionCore, inout Effects) -> Void
    ) {
        let (effects, step) = core.withLock { core -> (Effects, ConnectionCore.Sending) in
            var effects: Effects = []
            let waited = core.io.wantsWrite
            body(&core, &effects)
            let step = core.sendSoon(&effects)
            core.streams.release(&effects)
            if case .now = step {} else { return (effects, step) }
            return (effects, core.takesWakeUp(waitedToWrite: waited) ? .byThread : .now)
        }
        switch step {
        case .now, .later: break
        case .byThread: wake.signal()
        case .scheduled:
            let send: @Sendable () -> Void = { [weak self] in self?.change { core, _ in core.isSendScheduled = false } }
            switch others {
            case .tasks: Task { send() }
            case .handlers: HandlerPool.shared.run(send)
            }
        }
        for effect in effects { effect() }
    }

    private func run() {
        var wait = core.withLock { $0.nextWait(isIdle: false) }
        while let current = wait {
            let socket = PollInterest(descriptor, current.wantsWrite ? [.readable, .writable] : .readable)
            let interests = [socket, PollInterest(wake.raw, .readable)]
            let ready = (try? System.poll(interests, milliseconds: current.milliseconds)) ?? []
            if ready.count > 1, !ready[1].isEmpty { wake.drain() }
            let isReadable = ready.first.map { !$0.subtracting(.writable).isEmpty } ?? false
            let isIdle = ready.allSatisfy { $0.isEmpty }
            let effects: Effects
            (effects, wait) = core.withLock { core -> (Effects, ConnectionCore.Wait?) in
                var effects: Effects = []
                core.turn(isReadable: isReadable, &effects)
                core.streams.release(&effects)
                return (effects, core.nextWait(isIdle: isIdle))
            }
            for effect in effects { effect() }
        }
        // What was asked for between the loss and now.
        change { core, effects in core.lose(core.failure, &effects) }
    }
}
