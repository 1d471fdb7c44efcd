import PasteboardTransport
package import PasteboardWire

/// The broker of this user. Connects again after a loss, as ``Recovery`` decides.
package final class Brokers: Sendable {
    private struct State {
        var current: BrokerConnection?
        var isConnecting = false
        /// The tasks that wait for the one that connects.
        var waiters: [Waiter] = []
        /// The numbers of the delays before the next attempts.
        var delays: [UInt64] = []
        /// Whether the loss of the last broker was reported.
        var isReported = false
    }

    package let loop: Loop
    package let connector: BrokerConnector
    private let hello: Hello
    private let deadline: @Sendable () -> UInt64
    private let isWorthStarting: @Sendable () -> Bool
    private let reportLoss: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - deadline: the time at which an attempt to connect fails with `timeout` (see `MonotonicClock`).
    ///   - isWorthStarting: whether a broker is started if there is none.
    ///   - reportLoss: called when something that stood at a broker is lost and will be registered again, once until
    ///     something stands again.
    package init(
        through connector: BrokerConnector,
        hello: Hello = Hello(),
        on loop: Loop,
        deadline: @escaping @Sendable () -> UInt64 = { .max },
        isWorthStarting: @escaping @Sendable () -> Bool = { true },
        reportLoss: @escaping @Sendable () -> Void = {}
    ) {
        self.connector = connector
        self.hello = hello
        self.loop = loop
        self.deadline = deadline
        self.isWorthStarting = isWorthStarting
        self.reportLoss = reportLoss
    }

    // MARK: Connecting

    /// The connection to the broker. Of the tasks that need one at the same time one connects, and the others wait.
    ///
    /// - Parameters:
    ///   - mayStart: whether a broker may be started if there is none.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    /// - Returns: nil if there is no broker, and none is started.
    package func connection(
        mayStart: Bool = true,
        until deadline: UInt64 = .max
    ) async throws(RequestFailure) -> BrokerConnection? {
        while true {
            let (current, isFirst) = state.withLock { state -> (BrokerConnection?, Bool) in
                if let current = state.current, current.takesRequests { return (current, false) }
                return (nil, !exchange(&state.isConnecting, with: true))
            }
            if let current { return current }
            if isFirst { break }
            await withUnsafeContinuation { (waiter: UnsafeContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    if state.isConnecting { state.waiters.append(Waiter(continuation: waiter)) }
                    return state.isConnecting
                }
                if !waits { waiter.resume() }
            }
            if Task.isCancelled { throw .cancelled(at: .nothing) }
        }
        defer {
            let waiters = state.withLock { state in
                state.isConnecting = false
                return exchange(&state.waiters, with: [])
            }
            for waiter in waiters { waiter.continuation.resume() }
        }
        let connection = try await connect(mayStart: mayStart, until: min(deadline, self.deadline()))
        state.withLock { $0.current = connection }
        return connection
    }

    private func connect(mayStart: Bool, until deadline: UInt64) async throws(RequestFailure) -> BrokerConnection? {
        var recovery = Recovery(.read)
        while true {
            do throws(RequestFailure) {
                guard let socket = try socket(mayStart: mayStart, until: deadline) else { return nil }
                let connection = BrokerConnection(
                    adopting: socket,
                    path: connector.socket.path,
                    hello: hello,
                    on: loop
                )
                try await connection.begin(until: deadline)
                return connection
            } catch {
                guard case .connect = recovery.next(after: error.loss, at: error.reached) else {
                    throw RequestFailure(unconnected: error.failure)
                }
            }
        }
    }

    private func socket(
        mayStart: Bool,
        until deadline: UInt64
    ) throws(RequestFailure) -> OwnedDescriptor? {
        do throws(Failure) {
            if let socket = try connector.connectIfServed(until: deadline) { return socket }
            return mayStart && isWorthStarting() ? try connector.connect() : nil
        } catch {
            throw RequestFailure(unconnected: error)
        }
    }

    private var absence: RequestFailure {
        RequestFailure(
            Failure(.brokerUnavailable, "no broker is running at \(connector.socket.path)"),
            .nobody,
            at: .nothing
        )
    }

    /// Ends the connection: all that stands there ends.
    package func end() { state.withLock { $0.current }?.end() }

    // MARK: After a loss

    /// Makes a request, and makes it again as its recovery decides.
    ///
    /// - Throws: the failure of the last request; other errors of the request.
    package func recovering<Value>(
        _ recovery: Recovery = Recovery(.read),
        _ request: (BrokerConnection) async throws -> Value
    ) async throws -> Value {
        var (recovery, mayStart) = (recovery, true)
        var lost: RequestFailure?
        while true {
            let connection: BrokerConnection
            do throws(RequestFailure) {
                guard let next = try await self.connection(mayStart: mayStart) else { throw absence }
                connection = next
            } catch {
                // The end of the broker says more than the absence of the next one.
                throw error.loss == .nobody ? lost?.explained(by: recovery) ?? error.failure : error.failure
            }
            do {
                return try await request(connection)
            } catch let error as RequestFailure {
                lost = error
                switch recovery.next(after: error.loss, at: error.reached) {
                case .again(let delay): await self.delay(delay)
                case .connect(let delay, let next):
                    mayStart = next
                    connection.abandon()
                    await self.delay(delay)
                case .fail: throw error.explained(by: recovery)
                }
            }
        }
    }

    /// Registers something that exists until it ends, again at each broker after a loss.
    ///
    /// - Parameters:
    ///   - hasStood: whether it was registered before.
    ///   - body: registers at a broker, calls its second argument, and returns when what stands has ended.
    /// - Throws: the reason of a loss that is the end; other errors of `body`.
    package func standing<Value>(
        _ recovery: Recovery,
        hasStood: Bool = false,
        _ body: (BrokerConnection, _ stands: () -> Void) async throws -> Value
    ) async throws -> Value {
        var (recovery, mayStart) = (recovery, true)
        var reached = hasStood ? Recovery.Reached.standing : .request
        var reason: RequestFailure?
        while true {
            var connection: BrokerConnection?
            do {
                connection = try await self.connection(mayStart: mayStart)
                guard let connection else { throw absence }
                return try await body(connection) {
                    reached = .standing
                    state.withLock { $0.isReported = false }
                }
            } catch let error as RequestFailure {
                if error.loss != .nobody || reason == nil { reason = error }
                guard case .connect(let delay, let next) = recovery.next(after: error.loss, at: reached) else {
                    throw (reason ?? error).failure
                }
                mayStart = next
                connection?.abandon()
                if !state.withLock({ exchange(&$0.isReported, with: true) }) { reportLoss() }
                if await self.delay(delay) { recovery.hurry() }
                if Task.isCancelled { throw Failure(.cancelled, "the request was cancelled") }
            }
        }
    }

    /// - Returns: whether `hurry` has ended the delay.
    @discardableResult
    private func delay(_ milliseconds: Int) async -> Bool {
        guard milliseconds > 0 else { return false }
        let number = loop.nextNumber()
        state.withLock { $0.delays.append(number) }
        await loop.pause(as: number, until: MonotonicClock.deadline(milliseconds: milliseconds)) {
            state.withLock { !$0.delays.contains(number) }
        }
        return state.withLock { state in
            guard let index = state.delays.firstIndex(of: number) else { return true }
            state.delays.remove(at: index)
            return false
        }
    }

    /// Ends the delays of all that was lost.
    package func hurry() {
        let delays = state.withLock { state in exchange(&state.delays, with: []) }
        for number in delays { loop.resume(number) }
    }
}

extension RequestFailure {
    /// The failure of an attempt to connect. It is not made again at once.
    fileprivate init(unconnected failure: Failure) {
        self.init(failure, failure.code == .brokerUnavailable ? .nobody : Loss(failure), at: .nothing)
    }

    /// The failure, with the remark of its recovery.
    fileprivate func explained(by recovery: Recovery) -> Failure {
        var failure = failure
        failure.text += recovery.remark(after: loss, at: reached)
        return failure
    }
}
