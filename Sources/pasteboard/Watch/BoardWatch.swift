import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A watch of one board. Only the newest change that was received is held.
///
/// With `reconnect` it outlives a broker that ends unexpectedly: it begins again at the next one, after the last change that
/// it has received.
final class BoardWatch {
    private var connection: BlockingConnection
    private let reconnect: (() throws -> BlockingConnection)?
    private let board: String
    private var stream: UInt64
    private var since: (changeCount: UInt64?, epoch: UInt64?)
    private var backoff = Backoff()
    private var isLost = false
    private var newest: Change?
    private var isRegistered = false
    private var failure: Failure?

    /// Begins a watch, and returns when no later change can be missed.
    ///
    /// - Parameters:
    ///   - since: the change count after which changes count; nil for the present one.
    ///   - reconnect: connects again; nil if the watch ends with its broker.
    init(
        _ board: String,
        since: UInt64? = nil,
        over connection: BlockingConnection,
        reconnect: (() throws -> BlockingConnection)? = nil
    ) throws {
        self.connection = connection
        self.reconnect = reconnect
        self.board = board
        self.since = (since, nil)
        stream = 0
        stream = try open()
        while !isRegistered { try turn() }
    }

    private func open() throws -> UInt64 {
        var watch = Watch()
        watch.board = board
        watch.sinceChangeCount = since.changeCount
        watch.sinceEpoch = since.epoch
        watch.credit = 1
        return try connection.io.state.open(watch)
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
        guard !isLost else { return try connectAgain(watching: extra) }
        do {
            return try receive(extra: extra, until: deadline)
        } catch let failure as Failure where reconnect != nil && isRegistered && Self.isUnexpected(failure) {
            StandardStreams.note("pasteboard: watch: the broker ended; connecting again")
            isLost = true
            return extra.map { _ in [] }
        }
    }

    /// Whether a broker has ended without a word. One that was stopped says so.
    private static func isUnexpected(_ failure: Failure) -> Bool { failure.code == .brokerUnavailable }

    /// Waits for the time of the next attempt to connect, or until something is ready on `extra`.
    private func connectAgain(watching extra: [PollInterest]) throws -> [PollInterest.Readiness] {
        let ready = try System.poll(extra, milliseconds: backoff.delay())
        guard ready.allSatisfy(\.isEmpty), let reconnect else { return ready }
        do {
            connection = try reconnect()
            stream = try open()
            isLost = false
        } catch let failure as Failure where Self.isUnexpected(failure) {
            // The next turn tries again.
        }
        return ready
    }

    private func receive(extra: [PollInterest], until deadline: UInt64) throws -> [PollInterest.Readiness] {
        let ready = try connection.turn(extra: extra, until: deadline) { state, event, _ in
            guard event.stream == self.stream else { return }
            switch event {
            case .registered:
                self.isRegistered = true
            case .changed(_, var change):
                // The count of a change that was not taken was missed, too.
                if let older = self.newest, let missed = change.missed {
                    let skipped: UInt64 = older.changeCount == change.changeCount ? 0 : 1
                    change.missed = missed.addingClamped(skipped).addingClamped(older.missed ?? 0)
                }
                self.newest = change
                self.since = (change.changeCount, change.epoch)
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
