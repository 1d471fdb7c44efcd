import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The reader of one watch. The watch ends when the reader is released.
final class ChangeReader: Sendable {
    /// The state that the task that watches shares with the reader.
    private final class Mailbox: Sendable {
        private struct State {
            var reader: PendingResult<Pasteboard.Change>?
            /// Whether the reader wants a change for which the watch has no credit yet.
            var isWanting = false
            /// The watch at the present broker.
            var stream: StreamReference?
            var failure: PasteboardError?
            var isBegun = false
            var isOver = false
        }

        private let state = Lock(State())

        /// Whether the reader has got an error.
        var isOver: Bool { state.withLock(\.isOver) }

        func close() { state.withLock { $0.isOver = true } }

        /// Lets a reader wait for the next change.
        ///
        /// - Returns: whether it is the first.
        func want(_ reader: PendingResult<Pasteboard.Change>) -> Bool {
            let (isFirst, stream, failure) = state.withLock { state in
                (state.reader, state.isWanting) = (reader, true)
                return (!exchange(&state.isBegun, with: true), state.stream, state.failure)
            }
            stream?.nudge()
            if let failure { reader.resolve(.failure(failure)) }
            return isFirst
        }

        func takeWant() -> Bool { state.withLock { exchange(&$0.isWanting, with: false) } }

        func begin(_ stream: StreamReference) { state.withLock { $0.stream = stream } }

        func put(_ change: Pasteboard.Change) { state.withLock { $0.reader.take() }?.resolve(.success(change)) }

        func fail(_ error: PasteboardError) {
            let reader = state.withLock { state in
                (state.failure, state.stream) = (error, nil)
                return state.reader.take()
            }
            reader?.resolve(.failure(error))
        }
    }

    private let connection: PasteboardConnection
    /// nil for all pasteboards of the connection's broker.
    private let pasteboard: Pasteboard?
    private let changeCount: ChangeCount?
    private let mailbox = Mailbox()
    private let task = CancellableTask()

    init(_ pasteboard: Pasteboard?, over connection: PasteboardConnection, since changeCount: ChangeCount?) {
        self.connection = connection
        self.pasteboard = pasteboard
        self.changeCount = changeCount
    }

    deinit {
        task.cancel()
    }

    /// Waits for the next change; nil after an error. Only one call at a time. A cancellation or a timeout ends the
    /// watch.
    func next(for call: Call) async throws(PasteboardError) -> Pasteboard.Change? {
        if mailbox.isOver { return nil }
        let result = PendingResult<Pasteboard.Change>()
        do throws(PasteboardError) {
            try pasteboard?.board?.check()
            let brokers = try connection.brokers()
            return try await result.value(for: call) {
                self.task.cancel()
            } start: {
                if mailbox.want(result) { begin(at: brokers) }
            }
        } catch {
            mailbox.close()
            throw error
        }
    }

    private func begin(at brokers: Brokers) {
        let watch = WatchOperation(
            pasteboard?.name.rawValue,
            sinceChangeCount: changeCount?.value,
            epoch: changeCount?.epoch
        )
        let recovery = Recovery(pasteboard?.isUnique == true ? .bound : .standing, survivesStop: true)
        task.adopt(
            Task.detached(executorPreference: ThreadPool.calls) { [mailbox] in
                do {
                    try await Self.run(watch, at: brokers, recovery, for: mailbox)
                } catch {
                    mailbox.fail((error as? Failure).map { PasteboardError($0) } ?? .cancelled)
                }
            }
        )
    }

    /// Watches until the end of the watch. A broker gets credit for a change when the reader wants one, so that it
    /// merges the changes that follow each other meanwhile.
    private static func run(
        _ watch: WatchOperation,
        at brokers: Brokers,
        _ recovery: Recovery,
        for mailbox: Mailbox
    ) async throws {
        var watch = watch
        try await brokers.standing(recovery) { connection, stands in
            if mailbox.takeWant() { _ = watch.want() }
            let request = watch.open()
            var stream = connection.open { (state) throws(Failure) in try state.open(request) }
            mailbox.begin(stream.shared)
            while true {
                if mailbox.takeWant(), watch.want() { stream.tell { $0.grantChange($1) } }
                guard let event = try await stream.next(at: .standing, or: []) else { continue }
                switch watch.handle(event) {
                case .registered: stands()
                case .changed(let change): mailbox.put(Pasteboard.Change(change, of: watch.board))
                case .failed, .none: break
                }
            }
        }
    }
}
