import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of a drag session: the move over its destination, the drop, and the transfer of all items.
final class DragLoop {
    private let connection: BlockingConnection
    private let stream: UInt64
    private let server: AskServer
    private let signals: SignalBox
    private let isMove: Bool
    private let line = ProgressLine()
    private var progress = DragProgress()

    init(_ connection: BlockingConnection, stream: UInt64, server: AskServer, signals: SignalBox, isMove: Bool) {
        self.connection = connection
        self.stream = stream
        self.server = server
        self.signals = signals
        self.isMove = isMove
    }

    /// Drops the session on the destination, and returns once it is over. Throws the reason why there was no drop.
    func run(to destination: String) throws -> DragProgress {
        defer {
            line.clear()
            server.stop()
        }
        let first: UInt64 = 1
        var location = Location()
        location.destination = destination
        connection.io.state.begin(stream)
        try connection.io.state.move(stream, to: location, sequence: first)
        while progress.outcome == nil, !progress.hasAnswered(first) { try turn() }
        try check(destination)
        connection.io.state.drop(stream)
        while progress.outcome == nil { try turn() }
        // In the meantime the destination may have ended, or proposed another operation.
        if !(progress.dropped?.transfers ?? true) { try check(destination) }
        return progress
    }

    /// Throws the reason why the session cannot be dropped, if there is one.
    private func check(_ destination: String) throws {
        if case .failed(let failure) = progress.outcome { throw failure }
        guard let proposal = progress.proposal else { return }
        if let refusal = proposal.refusal { throw refusal }
        let what: String
        switch proposal.operation ?? .absent {
        case .copy, .move: return
        case .forbidden: what = "accepts nothing at this time"
        default:
            what = proposal.cannotHandle == true ? "does not accept such items" : "proposes no operation for the items"
        }
        throw Failure(.refused, "destination \(destination) \(what)")
    }

    private func turn() throws {
        let ready = try server.turn(watching: [signals.interest]) { event in
            if event.stream == stream { progress.handle(event) }
        }
        let signal = ready[0].isEmpty ? nil : try signals.next()
        // A session that has ended cannot be cancelled.
        if progress.outcome == nil, let signal {
            connection.io.state.cancel(stream)
            try connection.io.flush()
            throw interruption(by: signal)
        }
        if server.wanted != 0 { line.show("sent", server.sent, of: server.wanted) }
    }

    /// The destination removes what is incomplete, and keeps items that it had completely.
    private func interruption(by signal: CInt) -> CommandFailure {
        guard progress.dropped?.transfers == true else { return .signaled(signal) }
        let text = "interrupted: the drop was cancelled, and the destination may have some of the items"
        return CommandFailure(exitCode: 128 + signal, isMove ? "\(text); nothing was deleted" : text)
    }
}
