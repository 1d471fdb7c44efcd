import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of a destination: handles its sessions, and writes dropped items into its directory. If the broker ends
/// unexpectedly, the destination is registered at the next one.
final class DropLoop {
    private let destination: Destination
    private var connection: BlockingConnection
    /// The stream of the destination.
    private var stream: UInt64
    private var reconnection = Reconnection { _ in try Broker.startingOne() }
    private let directory: SystemString
    private let isOnce: Bool
    private let signals: SignalBox
    private let line = ProgressLine()
    private var drops: [UInt64: ReceivedDrop] = [:]
    /// The drop to which each stream's load belongs.
    private var loads: [UInt64: ReceivedDrop] = [:]
    private var passed: [(load: UInt64, answer: Answer, file: DescriptorBox)] = []
    private var failure: Failure?
    /// The signal that ends the loop.
    private var signal: CInt?

    /// Registers the destination.
    init(
        _ destination: Destination,
        over connection: BlockingConnection,
        directory: SystemString,
        isOnce: Bool,
        signals: SignalBox
    ) throws {
        self.destination = destination
        self.connection = connection
        stream = try connection.register(destination)
        self.directory = directory
        self.isOnce = isOnce
        self.signals = signals
    }

    /// Serves sessions until a signal arrives. With `isOnce`, returns the exit code of the first drop.
    func run() throws -> CInt {
        defer {
            line.clear()
            connection.io.state.cancel(stream)
            try? connection.io.flush()
        }
        while true {
            if let code = try turn(), isOnce { return code }
        }
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func turn() throws -> CInt? {
        var ready: [PollInterest.Readiness] = []
        var loss: Failure?
        do throws(Failure) {
            ready = try connection.turn(extra: [PollInterest(signals.raw, .readable)]) {
                handle($1, in: $2, &$0)
            }
        } catch {
            guard Reconnection.follows(error, of: connection) else { throw error }
            loss = error
        }
        if ready.contains(where: { !$0.isEmpty }) { try checkSignals() }
        // Writing these files may take long; all pending messages have been sent by now.
        while !passed.isEmpty {
            let (load, answer, file) = passed.removeFirst()
            guard let drop = loads.removeValue(forKey: load) else { continue }
            try drop.passed(load, answer, file, over: connection) {
                try checkSignals()
                takeEvents()
                showProgress()
            }
        }
        if let failure { throw failure }
        if let loss { fail(loss) }
        showProgress()
        let code = reportComplete()
        if loss != nil, !isOnce || code == nil { try registerAgain() }
        return code
    }

    /// Takes the events that have arrived, without waiting: while a file is written, its source may withdraw the
    /// session.
    private func takeEvents() {
        // The next turn reports the loss of the connection.
        _ = try? connection.turn(until: 0) { handle($1, in: $2, &$0) }
    }

    /// Ends the drops that are under way with the connection.
    private func fail(_ loss: Failure) {
        for (load, drop) in loads { drop.failed(load, loss, &connection.io.state) }
        loads = [:]
        for (stream, drop) in drops { drop.take(.failed(stream, loss), &connection.io.state) }
    }

    /// Registers the destination at the next broker.
    private func registerAgain() throws {
        line.clear()
        StandardStreams.note("pasteboard: drop: the broker ended; connecting again")
        while true {
            let (connection, ready) = try reconnection.attempt(watching: [PollInterest(signals.raw, .readable)])
            if !ready[0].isEmpty { try checkSignals() }
            guard let connection else { continue }
            do {
                stream = try connection.register(destination)
                self.connection = connection
                return
            } catch let failure where Reconnection.follows(failure, of: connection) {
                // The next attempt may find another broker.
            }
        }
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func reportComplete() -> CInt? {
        var code: CInt?
        for (stream, drop) in drops where drop.isComplete {
            drops[stream] = nil
            line.clear()
            drop.report()
            loads = loads.filter { $0.value !== drop }
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
            )
        case .answered(_, let answer):
            loads[stream]?.answered(stream, Answer(answer, in: bytes), &state)
        case .passed(_, let answer, let file):
            passed.append((stream, answer, file))
        case .data(_, let payload, let last):
            loads[stream]?.bytes(stream, bytes.extracting(payload), last: last, &state)
            if last { loads[stream] = nil }
        case .ended where drops[stream] == nil:
            loads.removeValue(forKey: stream)?.ended(stream, &state)
        case .failed(_, let failure) where drops[stream] == nil:
            loads.removeValue(forKey: stream)?.failed(stream, failure, &state)
        default:
            guard let drop = drops[stream] else { return }
            line.clear()
            drop.take(event, &state)
            for load in drop.loads { loads[load] = drop }
        }
    }

    private func showProgress() {
        guard let drop = drops.values.first(where: { !$0.loads.isEmpty }) else { return line.finish() }
        let progress = drop.progress
        line.show("received", progress.count, of: progress.total)
    }
}
