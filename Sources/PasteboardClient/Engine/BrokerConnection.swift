package import PasteboardTransport
package import PasteboardWire

/// One connection to a broker, for any number of tasks.
///
/// The caller of `change` sends the frames itself, while it holds the lock of the core. The loop reads the answers, and
/// resumes the waiting tasks after it has released the lock, each on its own executor. No code of the program runs
/// under the lock, and nothing waits under it. It is no actor: an actor whose operations wait inside would let the
/// thread of the loop run code of the program, and one with an executor of its own would cost two more switches of the
/// thread for each load.
package final class BrokerConnection: Sendable {
    let core: Lock<Core>
    package let loop: Loop
    package let descriptor: CInt
    private let inbox = Lock(Inbox())

    /// Takes ownership of a connected socket.
    ///
    /// - Parameter closer: closes descriptors that the broker has passed; nil: the loop does.
    package init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        hello: Hello = Hello(),
        on loop: Loop,
        timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        closer: DescriptorCloser? = nil
    ) {
        descriptor = socket.raw
        self.loop = loop
        var io = ConnectionIO(adopting: socket, path: path, hello: hello, closer: closer)
        io.timeouts = timeouts
        core = Lock(Core(io))
    }

    /// Returns when the broker has answered hello. Nothing else is sent before, so no request is lost.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func begin(until deadline: UInt64 = .max) async throws(RequestFailure) {
        var greeting = BrokerStream(
            change { core in
                let slot = core.streams.greet()
                if let failure = core.io.state.failure { core.streams.fail(slot, failure, core.io.loss(of: failure)) }
                if deadline != .max { core.streams.limit(slot, to: deadline) }
                return slot
            },
            of: self
        )
        loop.attach(self)
        do throws(RequestFailure) {
            while true { if case .welcomed = try await greeting.next(at: .nothing) { return } }
        } catch {
            // A broker that is ending still accepts connections for a moment.
            let isGone = core.withLock { $0.io.isGoneUnanswered }
            throw RequestFailure(error.failure, isGone ? .crashed : .other, at: .nothing)
        }
    }

    /// The answer to hello.
    package var welcome: Welcome { core.withLock { $0.io.state.welcome } ?? Welcome() }
    /// The failure with which the connection has ended; nil while it has not.
    package var failure: RequestFailure? {
        core.withLock { core in
            core.io.state.failure.map { RequestFailure($0, core.io.loss(of: $0), at: .standing) }
        }
    }
    /// The number of requests whose answer is pending, among them the loads under way.
    var requestCount: Int { core.withLock { $0.io.state.movingCount } }
    /// Whether what the other end has sent is no answer to hello.
    package var isForeign: Bool { core.withLock { $0.io.isForeign } }
    /// Whether the connection has not ended, and the broker has not announced its end. The core is not locked, because
    /// each load of the library asks for it.
    package var takesRequests: Bool { inbox.withLock { !$0.isClosed } }
    package var isOver: Bool { core.withLock { $0.isOver } }

    /// Prints what each stream waits for.
    func logWaits() {
        for text in core.withLock({ $0.streams.descriptions }) { FrameLog.waits(text) }
    }

    // MARK: Changes

    /// Changes the connection, sends the resulting frames, and then, after unlocking, resumes the tasks whose waits are
    /// over and calls the sinks: all on the calling thread. `body` must not block, call `change` or run the program's
    /// code.
    ///
    /// - Parameter sendsNow: false if more frames follow at once, so that they are sent in one write.
    @discardableResult
    func change<Value: Sendable>(sendsNow: Bool = true, _ body: (inout Core) -> Value) -> Value {
        let (value, effects, wakes) = core.withLock { core in
            let value = body(&core)
            if sendsNow { core.flush() }
            if core.takeClosing() { inbox.withLock { $0.isClosed = true } }
            return (value, core.streams.takeEffects(), core.needsLoop)
        }
        perform(effects)
        if wakes, loop.isInOwner { loop.wake() }
        return value
    }

    /// Makes a change that need not precede any other: at once, or on the loop while the inbox collects.
    func changeSoon(_ body: @escaping Inbox.Change) {
        switch loop.isInOwner ? inbox.withLock({ $0.add(body) }) : nil {
        case nil: change(body)
        case true?: loop.wake()
        case false?: break
        }
    }

    /// Handles what is ready on the descriptor.
    ///
    /// - Parameter ready: nil when only the next wait is asked for.
    /// - Returns: the next wait; nil when the connection is over.
    func turn(_ ready: PollInterest.Readiness?) -> Loop.Wait? {
        // Released after unlocking, with all that they contain.
        let changes = inbox.withLock { $0.take() }
        let (wait, effects, underWay) = core.withLock { core in
            if let ready { core.turn(ready, of: self) }
            for change in changes { change(&core) }
            core.flush()
            if core.takeClosing() { inbox.withLock { $0.isClosed = true } }
            let wait = core.nextWait(descriptor, isIdle: ready?.isEmpty ?? false)
            return (wait, core.streams.takeEffects(), core.underWay)
        }
        // The tasks that continue now will make requests again.
        let busy = wait == nil ? 0 : underWay + effects.sinks.count
        let late = inbox.withLock { inbox -> [Inbox.Change] in
            inbox.collect(underWay: busy)
            // There is no later turn.
            return wait == nil ? inbox.take() : []
        }
        if !late.isEmpty { change { for change in late { change(&$0) } } }
        perform(effects)
        return wait
    }

    private func perform(_ effects: Streams.Effects) {
        for waiter in effects.waiters { waiter.continuation.resume() }
        for sink in effects.sinks { sink.deliver() }
        for work in effects.started { work.start() }
        for action in effects.actions { action() }
        for work in effects.cancelled { work.cancel() }
    }

    /// Gives up the connection, so that a broker that is lost or ends does not wait for the answers of a source.
    func abandon() {
        change { core in
            core.isAbandoned = true
            core.io.endWriting()
        }
    }

    /// Ends the connection: all requests over it fail.
    package func end(_ failure: Failure = Failure(.cancelled, "the connection was closed")) {
        change { $0.lose(failure) }
    }

    /// Ends the connection, because a request has shown that the broker ends.
    func end(after error: RequestFailure) { change { $0.lose(error.failure, error.loss) } }

    /// Sets the longest times of silence, in milliseconds, for a program that must not wait long for its broker.
    package func limitSilence(to silence: Int, _ probe: Int) {
        change { core in (core.io.timeouts.silence, core.io.timeouts.probe) = (silence, probe) }
    }

    /// Returns when the connection has ended, or if the task is cancelled.
    package func ended() async {
        var place = BrokerStream(change { $0.place() }, of: self)
        while (try? await place.next(at: .standing)) != nil {}
    }

    // MARK: Requests

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - deadline: the time at which each wait for it fails with `timeout` (see `MonotonicClock`).
    ///   - answerer: answers the asks for what the request publishes.
    package func open(
        until deadline: UInt64 = .max,
        sendsNow: Bool = true,
        answering answerer: Answerer? = nil,
        _ request: (inout ClientState) throws(Failure) -> UInt64
    ) -> BrokerStream {
        BrokerStream(
            change(sendsNow: sendsNow) { core in
                let slot = core.open(request)
                core.streams.slots[slot].answerer = answerer
                if deadline != .max { core.streams.limit(slot, to: deadline) }
                return slot
            },
            of: self
        )
    }

    /// Opens the stream of a request that the broker answers at once.
    func request(
        until deadline: UInt64 = .max,
        _ request: (inout ClientState) throws(Failure) -> UInt64
    ) -> BrokerStream {
        let latest = core.withLock { MonotonicClock.deadline(milliseconds: $0.io.timeouts.answer) }
        return open(until: min(deadline, latest), request)
    }
}
