import PasteboardTransport
import PasteboardWire

// Requests and registrations after a loss.
extension Brokers {
    /// Makes a request, and makes it again as its recovery decides.
    ///
    /// - Throws: the failure of the last request; other errors of the request.
    package func recovering<Value>(
        _ recovery: Recovery = Recovery(.read),
        until deadline: UInt64 = .max,
        _ request: (BrokerConnection) async throws -> sending Value
    ) async throws -> sending Value {
        var (recovery, mayStart) = (recovery, true)
        var lost: RequestFailure?
        var earlier: BrokerConnection?
        while true {
            let connection: BrokerConnection
            do throws(RequestFailure) {
                guard let next = try await self.connection(after: earlier, mayStart: mayStart, until: deadline) else {
                    throw absence
                }
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
                case .again(let delay): await self.delay(until: MonotonicClock.deadline(milliseconds: delay))
                case .connect(let delay, let next):
                    mayStart = next
                    lose(connection)
                    earlier = connection
                    await self.delay(until: MonotonicClock.deadline(milliseconds: delay))
                case .fail: throw error.explained(by: recovery)
                }
            }
        }
    }

    /// Gives up a connection whose broker is lost or ends.
    func lose(_ connection: BrokerConnection) {
        if options.abandonsLost { connection.abandon() }
        forget(connection)
    }

    /// Records that something stands at a broker. Until it is registered again at the next one, requests wait there.
    ///
    /// - Returns: an argument for `standing`, which has to follow.
    package func stand(at connection: BrokerConnection) -> Standing {
        let standing = Standing(number: loop.nextNumber(), connection: connection)
        enter(standing)
        return standing
    }

    private func enter(_ entered: Standing) {
        changeStanding { standing in
            standing.removeAll { $0.number == entered.number }
            standing.append(entered)
        }
    }

    private func changeStanding(_ change: (inout [Standing]) -> Void) {
        let numbers = state.withLock { state in
            change(&state.standing)
            return exchange(&state.waits, with: [])
        }
        for number in numbers { loop.resume(number) }
    }

    /// Runs `body` at a broker, and again at the next one after each loss, until `Recovery` decides to fail.
    ///
    /// Requests of the library over a new connection wait until everything that stood at a lost one stands again.
    ///
    /// - Parameters:
    ///   - stood: where it stands now (see `stand`); `body` is called with this connection first.
    ///   - body: registers at a broker, calls its second argument after the confirmation, and then returns or throws: a
    ///     `RequestFailure` when the registration is lost.
    /// - Throws: the `Failure` of the last loss; other errors of `body`.
    package func standing<Value>(
        _ recovery: Recovery,
        since stood: Standing? = nil,
        _ body: (BrokerConnection, _ stands: () -> Void) async throws -> Value
    ) async throws -> Value {
        var (recovery, mayStart) = (recovery, true)
        var first = stood?.connection
        var reached = stood == nil ? Recovery.Reached.request : .standing
        var reason: RequestFailure?
        var earlier: BrokerConnection?
        let number = stood?.number ?? loop.nextNumber()
        defer { changeStanding { $0.removeAll { $0.number == number } } }
        while true {
            if Task.isCancelled { throw Failure(.cancelled, "the request was cancelled") }
            var connection: BrokerConnection?
            do {
                connection = first.take()
                if connection == nil {
                    connection = try await self.connection(
                        after: earlier,
                        mayStart: mayStart,
                        isRegistration: true
                    )
                }
                guard let connection else { throw absence }
                return try await body(connection) {
                    reached = .standing
                    enter(Standing(number: number, connection: connection))
                    state.withLock { $0.isReported = false }
                }
            } catch let error as RequestFailure {
                if error.loss != .nobody || reason == nil { reason = error }
                guard case .connect(let delay, let next) = recovery.next(after: error.loss, at: reached) else {
                    throw (reason ?? error).failure
                }
                mayStart = next
                if let connection { lose(connection) }
                earlier = connection ?? earlier
                if !state.withLock({ exchange(&$0.isReported, with: true) }) { reportLoss() }
                if await delayAttempt(delay, after: earlier) { recovery.hurry() }
            }
        }
    }

    /// Waits before the next attempt to register something again. All that was lost makes its attempts together.
    ///
    /// - Returns: whether `hurry` has ended the delay.
    private func delayAttempt(_ milliseconds: Int, after lost: BrokerConnection?) async -> Bool {
        let now = MonotonicClock.now()
        let (end, hurries) = state.withLock { state in
            let isConnected = state.current.map { $0 !== lost && $0.takesRequests } ?? false
            if isConnected || state.closed != nil { return (UInt64(0), state.hurries) }
            if state.nextAttempt <= now { state.nextAttempt = now.addingClamped(UInt64(milliseconds) * 1_000_000) }
            return (state.nextAttempt, state.hurries)
        }
        await delay(until: end)
        return state.withLock { $0.hurries != hurries }
    }

    private func delay(until end: UInt64) async {
        guard end > MonotonicClock.now() else { return }
        let number = loop.nextNumber()
        state.withLock { state in
            if state.closed == nil { state.delays.append(number) }
        }
        await loop.pause(as: number, until: end) { state.withLock { !$0.delays.contains(number) } }
        state.withLock { $0.delays.removeAll { $0 == number } }
    }

    /// Ends the delays of all that was lost, and lets them begin anew.
    package func hurry() {
        let delays = state.withLock { state in
            state.hurries += 1
            state.nextAttempt = 0
            return exchange(&state.delays, with: [])
        }
        for number in delays { loop.resume(number) }
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
