import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of a destination: handles its sessions, and writes dropped items into its directory. If the broker ends
/// unexpectedly, the destination is registered at the next one.
final class DropLoop {
    private let destination: Destination
    private let standing: StandingConnection
    /// The stream of the destination.
    private var stream: UInt64 = 0
    private let directory: OutputDirectory
    private let isOnce: Bool
    private let signals: SignalBox
    private let line = ProgressLine()
    private var drops: [UInt64: ReceivedDrop] = [:]
    private var failure: Failure?
    /// The signal that ends the loop.
    private var signal: CInt?

    /// Registers the destination.
    init(
        _ destination: Destination,
        over connection: BlockingConnection,
        directory: OutputDirectory,
        isOnce: Bool,
        signals: SignalBox
    ) throws {
        self.destination = destination
        standing = StandingConnection(connection, as: .standing)
        self.directory = directory
        self.isOnce = isOnce
        self.signals = signals
        try standing.begin { [unowned self] in stream = try $0.register(destination) }
    }

    /// Serves sessions until a signal arrives. With `isOnce`, returns the exit code of the first drop.
    func run() throws -> CInt {
        defer {
            line.clear()
            standing.connection.io.state.cancel(stream)
            try? standing.connection.io.flush()
        }
        while true {
            if let code = try turn(), isOnce { return code }
        }
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func turn() throws -> CInt? {
        // It has arrived while files of a list were copied.
        if signal != nil { try checkSignals() }
        let wasLost = standing.isLost
        let ready = try standing.turn(watching: [signals.interest]) { connection in
            if let failure = exchange(&failure, with: nil) { throw failure }
            return try connection.turn(extra: [signals.interest]) { handle($1, in: $2, &$0) }
        }
        let connection = standing.connection
        if ready.contains(where: { !$0.isEmpty }) { try checkSignals() }
        // Writing these files may take long; all pending messages have been sent by now.
        while let drop = drops.values.first(where: { $0.passed != nil }) {
            try drop.writePassed(over: connection) {
                try checkSignals()
                // The source may withdraw the session. The next turn reports the loss of the connection.
                _ = try? connection.turn(until: 0) { handle($1, in: $2, &$0) }
                showProgress()
            }
        }
        if standing.isLost, !wasLost, let failure = standing.failure {
            for drop in drops.values { drop.lost(failure, &connection.io.state) }
        }
        showProgress()
        return reportComplete()
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func reportComplete() -> CInt? {
        var code: CInt?
        for (stream, drop) in drops where drop.isComplete {
            drops[stream] = nil
            line.clear()
            drop.report()
            code = code ?? drop.exitCode
        }
        return code
    }

    private func checkSignals() throws {
        self.signal = try self.signal ?? signals.next()
        if let signal { throw CommandFailure.signaled(signal) }
    }

    private func handle(_ event: ClientEvent, in bytes: Span<UInt8>, _ state: inout ClientState) {
        let stream = event.stream
        switch event {
        case .failed(self.stream, let failure):
            self.failure = failure
        case .session(_, let session) where drops[stream] == nil:
            drops[stream] = ReceivedDrop(
                DestinationSession(stream, session),
                accepts: destination.accepts,
                directory: directory,
                line: line
            ) { [unowned self] in try checkSignals() }
        default:
            guard let drop = drops[stream] else {
                // An event of a load.
                for drop in drops.values { drop.handleLoad(event, in: bytes, &state) }
                return
            }
            line.clear()
            drop.handle(event, &state)
        }
    }

    private func showProgress() {
        guard let drop = drops.values.first(where: \.isReceiving) else { return line.finish() }
        let progress = drop.progress
        line.show("received", progress.count, of: progress.total)
    }
}
