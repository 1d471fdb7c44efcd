import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of a destination: handles its sessions, and writes dropped items into its directory.
final class DropLoop {
    private let connection: BlockingConnection
    private let destination: UInt64
    private let accepts: [Accept]
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

    init(
        _ connection: BlockingConnection,
        destination: UInt64,
        accepts: [Accept],
        directory: SystemString,
        isOnce: Bool,
        signals: SignalBox
    ) {
        self.connection = connection
        self.destination = destination
        self.accepts = accepts
        self.directory = directory
        self.isOnce = isOnce
        self.signals = signals
    }

    /// Serves sessions until a signal arrives. With `isOnce`, returns the exit code of the first drop.
    func run() throws -> CInt {
        defer {
            line.clear()
            connection.io.state.cancel(destination)
            try? connection.io.flush()
        }
        while true {
            if let code = try turn(), isOnce { return code }
        }
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func turn() throws -> CInt? {
        let ready = try connection.turn(extra: [PollInterest(signals.raw, .readable)]) {
            handle($1, in: $2, &$0)
        }
        if !ready[0].isEmpty { try checkSignals() }
        // Writing these files may take long; all pending messages have been sent by now.
        for (load, answer, file) in passed {
            guard let drop = loads.removeValue(forKey: load) else { continue }
            try drop.passed(load, answer, file, over: connection) {
                try checkSignals()
                showProgress()
            }
        }
        passed = []
        if let failure { throw failure }
        showProgress()

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
        case .failed(destination, let failure):
            self.failure = failure
        case .session(_, let session) where drops[stream] == nil:
            drops[stream] = ReceivedDrop(
                DestinationSession(stream, session),
                accepts: accepts,
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
