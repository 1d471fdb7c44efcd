import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The reader of one watch. The watch ends when the reader is released.
final class ChangeReader: Sendable {
    private struct State {
        var watch: WatchRequest?
        var isOver = false
    }

    private let connection: PasteboardConnection
    /// nil for all pasteboards of the connection's broker.
    private let pasteboard: Pasteboard?
    private let changeCount: ChangeCount?
    private let state = Lock(State())

    init(_ pasteboard: Pasteboard?, over connection: PasteboardConnection, since changeCount: ChangeCount?) {
        self.connection = connection
        self.pasteboard = pasteboard
        self.changeCount = changeCount
    }

    deinit {
        state.withLock { $0.watch }?.cancel()
    }

    /// Waits for the next change; nil after an error.
    func next(for call: Call) async throws(PasteboardError) -> Pasteboard.Change? {
        let (known, isOver) = state.withLock { ($0.watch, $0.isOver) }
        if isOver { return nil }
        do throws(PasteboardError) {
            if let known { return try await known.next(for: call) }
            // A watch that a broker has confirmed continues by itself.
            let reached = {
                self.state.withLock { $0.watch }?.isRestorable == true ? Recovery.Reached.standing : .request
            }
            try pasteboard?.board?.check()
            let verb: Recovery.Verb = pasteboard?.isUnique == true ? .bound : .read
            return try await connection.recovering(verb, for: call, reached: reached) {
                (live) throws(PasteboardError) in
                try await begin(over: live, for: call)
            }
        } catch {
            state.withLock { $0.isOver = true }
            throw error
        }
    }

    /// Begins the watch, and waits for its first change.
    private func begin(over live: BrokerConnection, for call: Call) async throws(PasteboardError) -> Pasteboard.Change {
        let watch = WatchOperation(
            pasteboard?.name.rawValue,
            sinceChangeCount: changeCount?.value,
            epoch: changeCount?.epoch
        )
        let request = WatchRequest(watch, over: live, restoration: connection.restoration)
        state.withLock { $0.watch = request }
        return try await request.next(for: call)
    }
}
