import PasteboardTransport
package import PasteboardWire

// Requests that the broker answers at once.
extension BrokerConnection {
    /// The contents of a board. If it is empty, waits for contents of an earlier broker that may come back.
    ///
    /// - Parameters:
    ///   - settles: false for a caller that waits for contents itself, or needs only what is there now.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func listing(
        of board: String = BoardName.general,
        settles: Bool = true,
        until deadline: UInt64 = .max
    ) async throws(RequestFailure) -> BoardListing {
        var operation = ListOperation(board, settles: settles && expectsReclaims)
        while true {
            var stream = request(until: deadline) { (state) throws(Failure) in try operation.open(&state) }
            let step: ListOperation.Step
            do throws(RequestFailure) {
                step = try await stream.answer { operation.handle($0) }
            } catch {
                guard let next = operation.failed(error.failure.code) else { throw error }
                step = next
            }
            if case .listed(let listing) = step { return listing }
        }
    }

    /// Whether contents of an earlier broker may still come back.
    package var expectsReclaims: Bool {
        let (settling, start) = core.withLock { ($0.io.state.welcome?.settlingMilliseconds, $0.streams.welcomedAt) }
        guard let settling else { return false }
        return MonotonicClock.now() < start.addingClamped(min(settling, 3_600_000) * 1_000_000)
    }

    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func clear(_ clear: Clear, until deadline: UInt64 = .max) async throws(RequestFailure) -> Committed {
        var stream = request(until: deadline) { (state) throws(Failure) in try state.open(clear) }
        return try await stream.answer(at: .request) { event in
            if case .committed(_, let committed) = event { committed } else { nil }
        }
    }

    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func status(
        history: Bool = false,
        until deadline: UInt64 = .max
    ) async throws(RequestFailure) -> [StatusEntry] {
        var status = Status()
        status.history = history ? true : nil
        let message = status
        var entries: [StatusEntry] = []
        var stream = request(until: deadline) { (state) throws(Failure) in try state.open(message) }
        return try await stream.answer { event in
            if case .statusEntry(_, let entry) = event { entries.append(entry) }
            return if case .ended = event { entries } else { nil }
        }
    }

    /// Makes the broker end, and returns before it has ended. Loads whose bytes already flow may finish until the limit
    /// `drain`.
    ///
    /// - Returns: what is lost.
    package func stop() async throws(RequestFailure) -> End {
        var stream = request { (state) throws(Failure) in try state.open(Stop()) }
        return try await stream.answer(at: .request) { event in
            if case .ended(_, let end) = event { end } else { nil }
        }
    }
}
