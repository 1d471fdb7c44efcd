import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of a drag session: over its destination, dropped there, and on until everything has arrived.
final class DragLoop {
    private let connection: BlockingConnection
    private let stream: UInt64
    private let server: AskServer
    private let signals: SignalBox
    private let line = ProgressLine()
    private var progress = DragProgress()

    init(_ connection: BlockingConnection, stream: UInt64, server: AskServer, signals: SignalBox) {
        self.connection = connection
        self.stream = stream
        self.server = server
        self.signals = signals
    }

    /// Returns once the session is over, or throws the reason why there was no drop.
    func run(to destination: String) throws -> DragProgress {
        defer {
            self.line.clear()
            self.server.stop()
        }
        let first: UInt64 = 1
        var location = Location()
        location.destination = destination
        self.connection.io.state.begin(self.stream)
        try self.connection.io.state.move(self.stream, to: location, sequence: first)
        while self.progress.outcome == nil, !self.progress.hasAnswered(first) { try self.turn() }
        try self.check(destination)
        self.connection.io.state.drop(self.stream)
        while self.progress.outcome == nil { try self.turn() }
        // In the meantime the destination may have ended, or proposed another operation.
        if !(self.progress.dropped?.transfers ?? true) { try self.check(destination) }
        return self.progress
    }

    /// Throws the reason why the session cannot be dropped, if there is one.
    private func check(_ destination: String) throws {
        if case .failed(let failure) = self.progress.outcome { throw failure }
        guard let proposal = self.progress.proposal else { return }
        if let refusal = proposal.refusal { throw refusal }
        let what: String
        switch SessionOperation(received: proposal.operation) {
        case .copy, .move: return
        case .forbidden: what = "takes nothing at this time"
        case .cancel:
            what = proposal.cannotHandle == true ? "does not take such items" : "would do nothing with the items"
        }
        throw Failure(.refused, "destination \(destination) \(what)")
    }

    private func turn() throws {
        let signal = try self.server.turn(watching: self.signals) { event in
            if event.stream == self.stream { self.progress.take(event) }
        }
        // A session that is over is not cancelled any more.
        if self.progress.outcome == nil, let signal {
            self.connection.io.state.cancel(self.stream)
            try self.connection.io.flush()
            throw CommandFailure.signaled(signal)
        }
        if self.server.wanted != 0 { self.line.show("sent", self.server.sent, of: self.server.wanted) }
    }
}
