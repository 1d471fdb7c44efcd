import PasteboardTransport
package import PasteboardWire

/// The broker of this user, also after it was lost: the only caller of ``Recovery``.
package final class Brokers: Sendable {
    private struct State {
        var current: BrokerConnection?
        var isConnecting = false
        /// The tasks that wait for the one that connects.
        var waiters: [Waiter] = []
        /// Whether the loss of the last broker was reported.
        var isReported = false
    }

    package let loop: Loop
    package let connector: BrokerConnector
    private let hello: Hello
    private let timeouts: ConnectionTimeouts
    private let isWorthStarting: @Sendable () -> Bool
    private let reportLoss: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - isWorthStarting: whether a broker is started if there is none.
    ///   - reportLoss: called when something that stood at a broker is registered again at the next one, once for each
    ///     broker.
    package init(
        through connector: BrokerConnector,
        hello: Hello = Hello(),
        on loop: Loop,
        timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        isWorthStarting: @escaping @Sendable () -> Bool = { true },
        reportLoss: @escaping @Sendable () -> Void = {}
    ) {
        self.connector = connector
        self.hello = hello
        self.loop = loop
        self.timeouts = timeouts
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
        let connection = try await connect(mayStart: mayStart, until: deadline)
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
                    on: loop,
                    timeouts: timeouts
                )
                try await connection.begin(until: deadline)
                return connection
            } catch {
                guard case .connect = recovery.next(after: error.loss, at: error.reached) else { throw error }
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
            throw RequestFailure(error, error.code == .brokerUnavailable ? .nobody : .other, at: .nothing)
        }
    }

    private var absence: RequestFailure {
        RequestFailure(
            Failure(.brokerUnavailable, "no broker is running at \(connector.socket.path)"),
            .nobody,
            at: .nothing
        )
    }

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
            do {
                guard let connection = try await connection(mayStart: mayStart) else { throw absence }
                return try await request(connection)
            } catch let error as RequestFailure {
                // The end of the broker says more than the absence of the next one.
                if error.loss == .nobody, let lost { throw lost.explained(by: recovery) }
                lost = error
                switch recovery.next(after: error.loss, at: error.reached) {
                case .again(let delay): await sleep(delay)
                case .connect(let delay, let next):
                    mayStart = next
                    await sleep(delay)
                case .fail: throw error.explained(by: recovery)
                }
            }
        }
    }

    /// Registers something that exists until it ends, again at each broker after a loss.
    ///
    /// - Parameter body: registers at a broker, calls its second argument, and returns when what stands has ended.
    /// - Throws: the reason of a loss that is the end; other errors of `body`.
    package func standing<Value>(
        _ recovery: Recovery,
        _ body: (BrokerConnection, _ stands: () -> Void) async throws -> Value
    ) async throws -> Value {
        var (recovery, reached, mayStart) = (recovery, Recovery.Reached.request, true)
        var reason: RequestFailure?
        while true {
            do {
                guard let connection = try await connection(mayStart: mayStart) else { throw absence }
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
                if !state.withLock({ exchange(&$0.isReported, with: true) }) { reportLoss() }
                await sleep(delay)
                if Task.isCancelled { throw Failure(.cancelled, "the request was cancelled") }
            }
        }
    }

    private func sleep(_ milliseconds: Int) async {
        if milliseconds > 0 { await loop.sleep(until: MonotonicClock.deadline(milliseconds: milliseconds)) }
    }
}

extension RequestFailure {
    /// The failure, with the remark of its recovery.
    fileprivate func explained(by recovery: Recovery) -> Failure {
        var failure = failure
        failure.text += recovery.remark(after: loss, at: reached)
        return failure
    }
}
