import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A watch of one board. Only the newest change that was received is held.
final class BoardWatch {
    private let connection: BlockingConnection
    private let stream: UInt64
    private var newest: Change?
    private var isRegistered = false
    private var failure: Failure?

    /// Begins a watch, and returns when no later change can be missed.
    ///
    /// - Parameter since: the change count after which changes count; nil for the present one.
    init(_ board: String, since: UInt64? = nil, over connection: BlockingConnection) throws {
        self.connection = connection
        var watch = Watch()
        watch.board = board
        watch.sinceChangeCount = since
        watch.credit = 1
        stream = try connection.io.state.open(watch)
        while !isRegistered { try turn() }
    }

    /// Waits for a change. Throws the failure of a command that a signal has ended, if one arrives.
    ///
    /// - Returns: the newest change; nil if there is none until `deadline` (see `MonotonicClock`).
    func next(until deadline: UInt64, watching signals: SignalBox) throws -> Change? {
        while newest == nil {
            let ready = try turn(extra: [PollInterest(signals.raw, .readable)], until: deadline)
            if !ready[0].isEmpty { try signals.check() }
            if newest == nil, MonotonicClock.mayBeOver(deadline), MonotonicClock.now() >= deadline { return nil }
        }
        return take()
    }

    /// The newest change that was received; nil after it was taken.
    func take() -> Change? {
        defer { newest = nil }
        return newest
    }

    /// Waits until something happens, also on `extra`, and returns what is ready there.
    @discardableResult
    func turn(extra: [PollInterest] = [], until deadline: UInt64 = .max) throws -> [PollInterest.Readiness] {
        let ready = try connection.turn(extra: extra, until: deadline) { state, event, _ in
            guard event.stream == self.stream else { return }
            switch event {
            case .registered:
                self.isRegistered = true
            case .changed(_, var change):
                // A change that was not taken was missed, too.
                if let older = self.newest, let missed = change.missed {
                    change.missed = missed.addingClamped(1).addingClamped(older.missed ?? 0)
                }
                self.newest = change
                state.grantChange(self.stream)
            case .failed(_, let failure):
                self.failure = failure
            default: break
            }
        }
        if let failure { throw failure }
        return ready
    }

    func end() {
        connection.io.state.cancel(stream)
    }
}
