import PasteboardTransport
package import PasteboardWire

// Requests that the broker answers at once.
extension BlockingConnection {
    /// The time by which a request has to be answered that the broker answers at once.
    private var answerDeadline: UInt64 { MonotonicClock.deadline(milliseconds: io.timeouts.answer) }

    /// Takes turns until `handle` has made a value from the events of `stream`.
    func answer<Value>(
        on stream: UInt64,
        until deadline: UInt64 = .max,
        _ handle: (ClientEvent) -> Value?
    ) throws(Failure) -> Value {
        try result(of: stream, until: deadline) { _, event, _ in handle(event).map { .success($0) } }
    }

    /// Waits until the broker has answered hello, and returns its answer.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func welcome(until deadline: UInt64 = .max) throws(Failure) -> Welcome {
        while true {
            if let welcome = io.state.welcome { return welcome }
            guard !MonotonicClock.isOver(deadline) else { throw unanswered }
            try io.turn(until: deadline) { _, event, bytes in keep(event, bytes) }
        }
    }

    /// The contents of a board. If it is empty, waits for contents of an earlier broker that may come back.
    ///
    /// - Parameters:
    ///   - settles: false for a caller that waits for contents itself, or needs only what is there now.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func listing(
        of board: String = BoardName.general,
        settles: Bool = true,
        until deadline: UInt64 = .max
    ) throws(Failure) -> BoardListing {
        let settling = settles ? try welcome(until: deadline).settlingMilliseconds : nil
        var operation = ListOperation(board, settles: settling != nil)
        while true {
            let stream = try operation.open(&io.state)
            var step: ListOperation.Step
            do throws(Failure) {
                reached = .uncommitted
                step = try answer(on: stream, until: min(deadline, answerDeadline)) { operation.handle($0) }
            } catch {
                guard let next = operation.failed(error.code) else { throw error }
                step = next
            }
            if case .listed(let listing) = step { return listing }
            // Ends a watch. A list has ended.
            io.state.cancel(stream)
        }
    }

    package func clear(_ clear: Clear = Clear()) throws(Failure) -> Committed {
        var committed = Committed()
        reached = .request
        return try answer(on: try io.state.open(clear), until: answerDeadline) { event in
            if case .committed(_, let answer) = event { committed = answer }
            return if case .ended = event { committed } else { nil }
        }
    }

    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func status(history: Bool = false, until deadline: UInt64 = .max) throws(Failure) -> [StatusEntry] {
        var status = Status()
        status.history = history ? true : nil
        var entries: [StatusEntry] = []
        return try answer(on: try io.state.open(status), until: min(deadline, answerDeadline)) { event in
            if case .statusEntry(_, let entry) = event { entries.append(entry) }
            return if case .ended = event { entries } else { nil }
        }
    }

    /// Registers a destination for drag sessions, and returns its stream. The destination exists until this stream
    /// ends. Each session at the destination has its own stream for its events.
    package func register(_ destination: Destination) throws(Failure) -> UInt64 {
        let stream = try io.state.open(destination)
        try answer(on: stream) { if case .registered = $0 { () } else { nil } }
        return stream
    }

    /// Waits until there is a destination of this name.
    ///
    /// - Parameter milliseconds: the longest time to wait; nil for no limit.
    /// - Throws: `nothing-here` after that time; `timeout` if the broker does not answer then.
    package func wait(for destination: String, milliseconds: UInt64?) throws(Failure) {
        var wait = Wait()
        wait.destination = destination
        wait.milliseconds = milliseconds
        let deadline = milliseconds.map { count in
            answerDeadline.addingClamped(min(count, .max / 1_000_000) * 1_000_000)
        }
        try answer(on: try io.state.open(wait), until: deadline ?? .max) { if case .ended = $0 { () } else { nil } }
    }

    /// Makes the broker end, and returns before it has ended. Loads whose bytes already flow may finish until the limit
    /// `drain`.
    ///
    /// - Returns: what is lost.
    package func stop() throws(Failure) -> End {
        let stream = try io.state.open(Stop())
        reached = .request
        return try answer(on: stream, until: answerDeadline) { event in
            if case .ended(_, let end) = event { end } else { nil }
        }
    }
}
