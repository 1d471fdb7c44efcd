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
    /// The drop that each stream loads for.
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

    /// Returns after the first drop if that is to be the only one, with its exit code.
    func run() throws -> CInt {
        defer {
            self.line.clear()
            self.connection.io.state.cancel(self.destination)
            try? self.connection.io.flush()
        }
        while true {
            if let code = try self.turn(), self.isOnce { return code }
        }
    }

    /// - Returns: the exit code of a drop that is complete now.
    private func turn() throws -> CInt? {
        let ready = try self.connection.turn(extra: [PollInterest(self.signals.raw, .readable)]) {
            self.handle($1, in: $2, &$0)
        }
        if !ready[0].isEmpty { try self.checkSignals() }
        // Writing these files may take long; all pending messages have been sent by now.
        for (load, answer, file) in self.passed {
            guard let drop = self.loads.removeValue(forKey: load) else { continue }
            try drop.passed(load, answer, file, over: self.connection) {
                try self.checkSignals()
                self.showProgress()
            }
        }
        self.passed = []
        if let failure { throw failure }
        self.showProgress()

        var code: CInt?
        for (visit, drop) in self.drops where drop.isComplete {
            self.drops[visit] = nil
            self.line.clear()
            drop.report()
            self.loads = self.loads.filter { $0.value !== drop }
            code = code ?? drop.exitCode
        }
        return code
    }

    private func checkSignals() throws {
        self.signal = try self.signal ?? self.signals.next()
        if let signal { throw CommandFailure.signaled(signal) }
    }

    private func handle(_ event: ClientEvent, in bytes: Span<UInt8>, _ state: inout ClientState) {
        let stream = event.stream
        switch event {
        case .failed(self.destination, let failure):
            self.failure = failure
        case .session(_, let session) where self.drops[stream] == nil:
            self.drops[stream] = ReceivedDrop(
                VisitedSession(stream, session),
                accepts: self.accepts,
                directory: self.directory,
                line: self.line
            )
        case .answered(_, let answer):
            self.loads[stream]?.answered(stream, answer, &state)
        case .passed(_, let answer, let file):
            self.passed.append((stream, answer, file))
        case .data(_, let payload, let last):
            self.loads[stream]?.bytes(stream, bytes.extracting(payload), last: last, &state)
            if last { self.loads[stream] = nil }
        case .ended where self.drops[stream] == nil:
            self.loads.removeValue(forKey: stream)?.ended(stream, &state)
        case .failed(_, let failure) where self.drops[stream] == nil:
            self.loads.removeValue(forKey: stream)?.failed(stream, failure, &state)
        default:
            guard let drop = self.drops[stream] else { return }
            self.line.clear()
            drop.take(event, &state)
            for load in drop.loads { self.loads[load] = drop }
        }
    }

    private func showProgress() {
        guard let drop = self.drops.values.first(where: { !$0.loads.isEmpty }) else { return self.line.finish() }
        let progress = drop.progress
        self.line.show("received", progress.count, of: progress.total)
    }
}
