import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A watch of one or more boards, or of all. Only the newest change of each that was received is held; of all boards
/// one change, because the broker merges those of each board until it is taken.
///
/// A watch that reconnects outlives a broker that ends unexpectedly: it begins again at the next one, after the last
/// changes that it has received.
final class BoardWatch {
    private struct Board {
        var watch: WatchOperation
        var stream: UInt64 = 0
        var newest: Change?
    }

    private let standing: StandingConnection
    private var boards: [Board]
    private var failure: Failure?

    /// Begins a watch, and returns when no later change can be missed. Throws `timeout` if the broker has not answered
    /// until `deadline` (see `MonotonicClock`).
    ///
    /// - Parameters:
    ///   - boards: the names; nil for all boards.
    ///   - since: the change count after which changes count, and its epoch; nil for the present one.
    ///   - reconnects: whether the watch outlives its broker.
    init(
        _ boards: [String]?,
        since: (changeCount: UInt64?, epoch: UInt64?) = (nil, nil),
        over connection: BlockingConnection,
        until deadline: UInt64 = .max,
        reconnects: Bool = false
    ) throws {
        standing = StandingConnection(connection, as: reconnects ? .standing : .bound)
        self.boards = (boards.map { $0.map(Optional.some) } ?? [nil]).map { name in
            var watch = WatchOperation(name, sinceChangeCount: since.changeCount, epoch: since.epoch)
            _ = watch.want()
            return Board(watch: watch)
        }
        try standing.begin { [unowned self] in try open(over: $0, until: deadline) }
    }

    /// The connection of the watch: after a lost broker another one.
    var connection: BlockingConnection { standing.connection }

    private var hasChange: Bool { boards.contains { $0.newest != nil } }

    private func open(over connection: BlockingConnection, until deadline: UInt64) throws {
        for index in boards.indices { boards[index].stream = try connection.io.state.open(boards[index].watch.open()) }
        while !boards.allSatisfy(\.watch.isRegistered) {
            guard !MonotonicClock.isOver(deadline) else { throw connection.unanswered }
            try receive(over: connection, until: deadline)
        }
    }

    /// Waits for a change, or until the watch has begun again at another broker, whose board may have changed in the
    /// meantime. Throws the failure of a command that a signal has ended, if one arrives.
    ///
    /// - Returns: false if neither happens until `deadline` (see `MonotonicClock`).
    func mayHaveChanged(until deadline: UInt64, watching signals: SignalBox) throws -> Bool {
        let before = ObjectIdentifier(connection)
        while !hasChange, standing.isLost || ObjectIdentifier(connection) == before {
            try turn(extra: [signals.interest], until: deadline)
            try signals.check()
            if !hasChange, MonotonicClock.isOver(deadline) { return false }
        }
        _ = take()
        return true
    }

    /// The newest change of a board that was received; nil if all were taken.
    func take() -> (board: String, change: Change)? {
        for (index, board) in boards.enumerated() {
            guard let change = board.newest else { continue }
            boards[index].newest = nil
            if board.watch.board == nil, boards[index].watch.want(), !standing.isLost {
                connection.io.state.grantChange(board.stream)
            }
            return (board.watch.board ?? change.board ?? "", change)
        }
        return nil
    }

    /// Whether a change of a watch of all boards describes the contents that a board had when the watch began.
    func isPresent(_ change: Change) -> Bool {
        guard let count = change.totalChangeCount else { return false }
        return boards.contains { count <= $0.watch.presentCount }
    }

    /// Waits until something happens, also on `extra`, and returns what is ready there.
    @discardableResult
    func turn(extra: [PollInterest] = [], until deadline: UInt64 = .max) throws -> [PollInterest.Readiness] {
        try standing.turn(watching: extra, until: deadline) { connection in
            try receive(over: connection, extra: extra, until: deadline)
        }
    }

    @discardableResult
    private func receive(
        over connection: BlockingConnection,
        extra: [PollInterest] = [],
        until deadline: UInt64
    ) throws -> [PollInterest.Readiness] {
        let ready = try connection.turn(extra: extra, until: deadline) { state, event, _ in
            guard let index = self.boards.firstIndex(where: { $0.stream == event.stream }) else { return }
            switch self.boards[index].watch.handle(event) {
            case .changed(let change) where self.boards[index].watch.board == nil:
                // A board that was empty already when the watch began is no news.
                if change.handle == nil, self.isPresent(change) {
                    if self.boards[index].watch.want() { state.grantChange(event.stream) }
                } else {
                    self.boards[index].newest = change
                }
            case .changed(let change):
                self.boards[index].newest = change.replacing(self.boards[index].newest)
                if self.boards[index].watch.want() { state.grantChange(event.stream) }
            case .failed(let failure): self.failure = failure
            case .registered, .none: break
            }
        }
        if let failure = exchange(&failure, with: nil) { throw failure }
        return ready
    }

    func end() {
        for board in boards { connection.io.state.cancel(board.stream) }
    }
}

extension Change {
    /// This change, merged with an older one that was not delivered and counts as missed.
    func replacing(_ older: Change?) -> Change {
        guard let older, let missed else { return self }
        var change = self
        let skipped: UInt64 = older.changeCount == changeCount ? 0 : 1
        change.missed = missed.addingClamped(skipped).addingClamped(older.missed ?? 0)
        return change
    }
}
