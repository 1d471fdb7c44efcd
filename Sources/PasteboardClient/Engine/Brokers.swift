package import PasteboardTransport
package import PasteboardWire

/// The connections of a program to its user's broker, one after the other: after a loss it connects again, as
/// ``Recovery`` decides. Code that holds the lock of a connection must not call it.
package final class Brokers: Sendable {
    /// Connects, on a thread that may block.
    ///
    /// - Parameters:
    ///   - mayStart: whether it may start a broker.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    /// - Returns: nil if there is no broker, and none is started.
    package typealias Connect =
        @Sendable (_ mayStart: Bool, _ deadline: UInt64) throws(Failure) -> BrokerSocket?

    /// The common settings of a program's connections.
    package struct Options: Sendable {
        /// The path of the socket, for errors.
        package var path = ""
        package var hello = Hello()
        package var timeouts = ConnectionTimeouts()
        /// The executor whose threads connect, and may block; nil: the task that needs the connection does.
        package var connecting: (any TaskExecutor)?
        package var closer: DescriptorCloser?
        /// Whether a lost connection is given up with all that runs on it, because the program has only one purpose.
        package var abandonsLost = true

        package init() {}
    }

    struct State {
        var current: BrokerConnection?
        /// The connections that have not ended, also the one that says hello, and those to brokers that end.
        var connections: [BrokerConnection] = []
        var isConnecting = false
        /// The number of attempts to connect, and the last one that has ended.
        var attempts: UInt64 = 0
        var last: Attempt?
        /// The numbers of the waits for an attempt, or for what is registered again.
        var waits: [UInt64] = []
        /// The numbers of the delays before the next attempts.
        var delays: [UInt64] = []
        /// The time of the next attempt for all that was lost (see `MonotonicClock`).
        var nextAttempt: UInt64 = 0
        /// The number of calls of `hurry`.
        var hurries = 0
        /// Each registration that stands, and the connection over which it was made last.
        var standing: [Standing] = []
        /// Whether the loss of the last broker was reported.
        var isReported = false
        var closed: Failure?
    }

    struct Attempt {
        let number: UInt64
        let mightStart: Bool
        /// Both are nil if there is no broker.
        let connection: BrokerConnection?
        let failure: RequestFailure?

        /// Whether its result is that of a request that has waited for attempt `number`.
        func answers(_ number: UInt64, isOwn: Bool, mayStart: Bool) -> Bool {
            guard self.number == number, !isOwn else { return self.number == number }
            // Its cancellation and its deadline are those of another request.
            guard let code = failure?.failure.code else { return connection != nil || mightStart || !mayStart }
            return ![.cancelled, .timeout].contains(code) && (mightStart || !mayStart)
        }
    }

    /// A registration that stands at a broker.
    package struct Standing: Sendable {
        let number: UInt64
        let connection: BrokerConnection
    }

    package let loop: Loop
    let options: Options
    private let connect: Connect
    private let deadline: @Sendable () -> UInt64
    let reportLoss: @Sendable () -> Void
    let state = Lock(State())

    /// - Parameters:
    ///   - deadline: the time at which an attempt to connect fails with `timeout` (see `MonotonicClock`).
    ///   - reportLoss: called when something that stood at a broker is lost and will be registered again, once until
    ///     something stands again.
    package init(
        _ options: Options = Options(),
        on loop: Loop,
        deadline: @escaping @Sendable () -> UInt64 = { .max },
        reportLoss: @escaping @Sendable () -> Void = {},
        connect: @escaping Connect
    ) {
        self.options = options
        self.loop = loop
        self.deadline = deadline
        self.reportLoss = reportLoss
        self.connect = connect
    }

    /// - Parameters:
    ///   - abandonsLost: as in `Options`.
    ///   - isWorthStarting: whether a broker is started if there is none.
    package convenience init(
        through connector: BrokerConnector,
        hello: Hello = Hello(),
        abandonsLost: Bool = true,
        on loop: Loop,
        deadline: @escaping @Sendable () -> UInt64 = { .max },
        isWorthStarting: @escaping @Sendable () -> Bool = { true },
        reportLoss: @escaping @Sendable () -> Void = {}
    ) {
        var options = Options()
        (options.path, options.hello, options.abandonsLost) = (connector.socket.path, hello, abandonsLost)
        self.init(options, on: loop, deadline: deadline, reportLoss: reportLoss) {
            (mayStart, deadline) throws(Failure) -> BrokerSocket? in
            let path = connector.socket.path
            if let socket = try connector.connectIfServed(until: deadline) {
                return BrokerSocket(descriptor: socket, path: path)
            }
            return mayStart && isWorthStarting() ? BrokerSocket(descriptor: try connector.connect(), path: path) : nil
        }
    }

    // MARK: Connecting

    /// The connection, if requests can be made over it.
    package var current: BrokerConnection? {
        state.withLock { state in state.current.flatMap { $0.takesRequests ? $0 : nil } }
    }

    /// Whether `end` was called.
    var isClosed: Bool { state.withLock { $0.closed != nil } }

    /// The connection to the broker. Of the tasks that need one at the same time one connects, and the others wait.
    ///
    /// Registrations that stood at a lost broker are made again first, so that a request finds them.
    ///
    /// - Parameters:
    ///   - lost: a connection over which a request has failed that is made again.
    ///   - mayStart: whether a broker may be started if there is none.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    ///   - isRegistration: whether such a registration is to be made.
    /// - Returns: nil if there is no broker, and none is started.
    package func connection(
        after lost: BrokerConnection? = nil,
        mayStart: Bool = true,
        until deadline: UInt64 = .max,
        isRegistration: Bool = false
    ) async throws(RequestFailure) -> BrokerConnection? {
        enum Step {
            case use(BrokerConnection?)
            case fail(RequestFailure)
            case connect
            case wait
        }
        var (awaited, isOwn): (UInt64, Bool) = (0, false)
        // The connection over which registrations are made that precede the request.
        var awaitedAt: BrokerConnection?
        while true {
            let number = loop.nextNumber()
            let step = state.withLock { state -> Step in
                if let failure = state.closed { return .fail(RequestFailure(failure, .other, at: .nothing)) }
                if let awaitedAt, awaitedAt !== state.current || !awaitedAt.takesRequests { return .use(awaitedAt) }
                if let current = state.current, current.takesRequests, current !== lost {
                    guard !isRegistration, isRestoring(over: current, state) else { return .use(current) }
                    awaitedAt = current
                } else if let last = state.last, last.answers(awaited, isOwn: isOwn, mayStart: mayStart) {
                    // Also one that has been lost meanwhile: how often that is tried is the rule of the request.
                    return last.failure.map(Step.fail) ?? .use(last.connection)
                } else if !exchange(&state.isConnecting, with: true) {
                    state.attempts += 1
                    (awaited, isOwn) = (state.attempts, true)
                    if options.connecting != nil { state.waits.append(number) }
                    return .connect
                } else if awaited != state.attempts {
                    (awaited, isOwn) = (state.attempts, false)
                }
                state.waits.append(number)
                return .wait
            }
            switch step {
            case .use(let connection): return connection
            case .fail(let failure): throw failure
            case .connect:
                guard let connecting = options.connecting else {
                    await attempt(mayStart: mayStart, until: min(deadline, self.deadline()))
                    continue
                }
                Task.detached(executorPreference: connecting) {
                    await self.attempt(mayStart: mayStart, until: self.deadline())
                }
            case .wait: break
            }
            await loop.pause(as: number, until: deadline) { state.withLock { !$0.waits.contains(number) } }
            state.withLock { $0.waits.removeAll { $0 == number } }
            if Task.isCancelled { throw .cancelled(at: .nothing) }
            if MonotonicClock.isOver(deadline) {
                throw RequestFailure(
                    Failure(.timeout, "no broker has answered in the time allowed"),
                    .silent,
                    at: .nothing
                )
            }
        }
    }

    /// Whether registrations are made again over a connection, which precede the requests of the library. Those at an
    /// earlier broker that has not ended yet are not lost.
    private func isRestoring(over current: BrokerConnection, _ state: State) -> Bool {
        options.connecting != nil && state.standing.contains { $0.connection !== current && $0.connection.isOver }
    }

    private func attempt(mayStart: Bool, until deadline: UInt64) async {
        var (connection, failure): (BrokerConnection?, RequestFailure?)
        do throws(RequestFailure) {
            connection = try await greeted(mayStart: mayStart, until: deadline)
        } catch {
            failure = error
        }
        let numbers = state.withLock { [connection, failure] state in
            state.isConnecting = false
            state.last = Attempt(
                number: state.attempts,
                mightStart: mayStart,
                connection: connection,
                failure: failure
            )
            let waits = exchange(&state.waits, with: [])
            guard let connection, state.closed == nil else { return waits }
            (state.current, state.nextAttempt) = (connection, 0)
            return waits + exchange(&state.delays, with: [])
        }
        for number in numbers { loop.resume(number) }
        guard let connection, let connecting = options.connecting else { return }
        Task.detached(executorPreference: connecting) { [weak self] in
            await connection.ended()
            self?.forget(connection)
        }
    }

    /// Forgets a connection whose broker is lost or ends, and wakes the requests that wait for it.
    func forget(_ connection: BrokerConnection) {
        let numbers = state.withLock { state in
            if state.current === connection { state.current = nil }
            let waits = exchange(&state.waits, with: [])
            if connection.isOver {
                state.connections.removeAll { $0 === connection }
                // The requests that wait need to know that it was made.
                if waits.isEmpty, state.last?.connection === connection { state.last = nil }
            }
            return waits
        }
        for number in numbers { loop.resume(number) }
    }

    /// A connection whose broker has answered hello.
    private func greeted(mayStart: Bool, until deadline: UInt64) async throws(RequestFailure) -> BrokerConnection? {
        var recovery = Recovery(.read)
        while true {
            do throws(RequestFailure) {
                guard let connection = try connected(mayStart: mayStart, until: deadline) else { return nil }
                try await connection.begin(until: deadline)
                return connection
            } catch {
                guard case .connect = recovery.next(after: error.loss, at: error.reached) else {
                    throw RequestFailure(unconnected: error.failure)
                }
            }
        }
    }

    private func connected(mayStart: Bool, until deadline: UInt64) throws(RequestFailure) -> BrokerConnection? {
        let connection: BrokerConnection
        do throws(Failure) {
            guard let socket = try connect(mayStart, deadline) else { return nil }
            let path = socket.path
            connection = BrokerConnection(
                adopting: socket.descriptor,
                path: path,
                hello: options.hello,
                on: loop,
                timeouts: options.timeouts,
                closer: options.closer
            )
        } catch {
            throw RequestFailure(unconnected: error)
        }
        let closed = state.withLock { state in
            state.connections.removeAll { $0.isOver }
            state.connections.append(connection)
            return state.closed
        }
        if let closed {
            connection.end(closed)
            throw RequestFailure(closed, .other, at: .nothing)
        }
        return connection
    }

    package var absence: RequestFailure {
        RequestFailure(Failure(.brokerUnavailable, "no broker is running at \(options.path)"), .nobody, at: .nothing)
    }

    /// Ends all connections: all that stands there ends, and further requests fail.
    package func end(_ failure: Failure = Failure(.cancelled, "the connection was closed")) {
        let (connections, numbers) = state.withLock { state in
            (state.closed, state.current, state.last) = (failure, nil, nil)
            let numbers = exchange(&state.waits, with: []) + exchange(&state.delays, with: [])
            return (exchange(&state.connections, with: []), numbers)
        }
        for connection in connections { connection.end(failure) }
        for number in numbers { loop.resume(number) }
    }
}

extension RequestFailure {
    /// The failure of an attempt to connect. It is not made again at once.
    init(unconnected failure: Failure) {
        let final: [ErrorCode] = [
            .versionMismatch, .invalidArgument, .protocolViolation, .notPermitted, .timeout, .cancelled,
        ]
        let isFinal = final.contains(failure.code)
        self.init(failure, isFinal ? .other : .nobody, at: .nothing)
    }
}

/// A connected socket, and its path.
package struct BrokerSocket: ~Copyable {
    package let descriptor: OwnedDescriptor
    package let path: String

    package init(descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}
