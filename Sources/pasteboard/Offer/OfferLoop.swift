import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The life of an offer: waits for asks, commands, signals and the contents' end, all at once.
final class OfferLoop {
    /// Loads at once; the broker lets others wait.
    static let maximumLoads: UInt32 = 16
    /// How often the broker hears of a command that works without output, if its own deadlines allow.
    private static let longestSilence: UInt64 = 5_000

    private let connection: BlockingConnection
    private let publication: UInt64
    private let offers: [TypeArgument]
    private let progressDeadline: UInt64
    private let signals: SignalBox
    private var loads: [OfferedLoad] = []
    private var events: [ClientEvent] = []
    private var hasEnded = false

    init(
        _ connection: BlockingConnection,
        publication: UInt64,
        offers: [TypeArgument],
        progressDeadline: UInt64,
        signals: SignalBox
    ) {
        self.connection = connection
        self.publication = publication
        self.offers = offers
        self.progressDeadline = progressDeadline
        self.signals = signals
    }

    /// Returns once the contents were replaced or cleared and the last load is done.
    func run() throws {
        defer { self.stopAll() }
        while !self.hasEnded || !self.loads.isEmpty {
            try self.turn()
        }
    }

    private func turn() throws {
        // Small pieces wait for a flush: only what the socket has not taken after it keeps the commands waiting.
        try self.connection.io.flush()
        let watched = self.loads.flatMap { load in
            load.interests(takesOutput: self.takesOutput(load)).map { (load: load, stream: $0.0, interest: $0.1) }
        }
        let extra = [PollInterest(self.signals.raw, .readable)] + watched.map(\.interest)
        let ready = try self.connection.turn(extra: extra, until: self.nextTime) { _, event, _ in
            self.events.append(event)
        }
        if !ready[0].isEmpty, let signal = try self.signals.next() { throw CommandFailure.signaled(signal) }

        let events = self.events
        self.events = []
        for event in events { try self.handle(event) }
        for (index, watch) in watched.enumerated() where !ready[index + 1].isEmpty {
            try self.handle(watch.stream, of: watch.load)
        }
        self.keepTimes()
        self.loads.removeAll { self.settle($0) }
    }

    // MARK: What the broker says

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .asked(let stream, let ask):
            self.start(stream, ask)
        case .askCancelled(let stream):
            self.loads.first { $0.ask == stream }?.stop()
        case .ended(self.publication, let end):
            self.hasEnded = true
            StandardStreams.note(
                "pasteboard: offer: " + (end.reason == 2 ? "cleared" : "replaced by other contents")
            )
        case .failed(self.publication, let failure):
            throw failure
        default:
            break
        }
    }

    private func start(_ stream: UInt64, _ ask: Ask) {
        let index = Int(ask.representation ?? 0)
        guard index < self.offers.count, let command = self.offers[index].origin else {
            let failure = Failure(.sourceFailed, "this program never offered representation \(index)")
            return self.connection.io.state.fail(stream, failure)
        }
        let type = self.offers[index].type.identifier
        // A third of what the broker allows: one sign that is late does no harm.
        let allowed = min(ask.firstByteMilliseconds ?? .max, self.progressDeadline) / 3
        let interval = Int(max(10, min(Self.longestSilence, allowed)))
        do {
            self.loads.append(try OfferedLoad(ask: stream, type: type, command: command, signInterval: interval))
        } catch {
            let source = SourceFailure(domain: "pasteboard.offer", code: Int64(error.errno), message: error.reason)
            let failure = Failure(.sourceFailed, "cannot run the command for \(type): \(error)", source: source)
            self.connection.io.state.fail(stream, failure)
        }
    }

    // MARK: What the commands do

    private func takesOutput(_ load: OfferedLoad) -> Bool {
        // While the socket is full nothing more is read: the pipe is the only buffer that may fill.
        guard let ask = load.ask, !self.connection.io.wantsWrite else { return false }
        return (self.connection.io.state.sendable(ask) ?? 0) > 0
    }

    private func handle(_ stream: OfferedLoad.Stream, of load: OfferedLoad) throws {
        switch stream {
        case .output: try self.forward(load)
        case .errors: try load.readErrors()
        case .end: load.noteEnd()
        }
    }

    private func forward(_ load: OfferedLoad) throws {
        guard let ask = load.ask, let room = self.connection.io.state.sendable(ask), room > 0 else { return }
        let bytes = try load.readOutput(upTo: min(room, WireLimits.dataLength))
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.span.extracting(offset...)
            guard let count = try self.connection.io.send(rest, on: ask, last: false), count > 0 else { return }
            offset += count
        }
    }

    /// Ends the load if its command has ended; whether it did.
    private func settle(_ load: OfferedLoad) -> Bool {
        guard load.isComplete else { return false }
        guard let ask = load.ask else {
            load.finishStopping()
            return true
        }
        if let failure = load.failure() {
            self.connection.io.state.fail(ask, failure)
        } else {
            self.connection.io.state.end(ask)
        }
        return true
    }

    // MARK: Time

    private var nextTime: UInt64 {
        self.loads.compactMap { $0.killTime ?? ($0.ask == nil ? nil : $0.nextSign) }.min() ?? .max
    }

    private func keepTimes() {
        let now = MonotonicClock.now()
        for load in self.loads {
            if let time = load.killTime, time <= now { load.kill() }
            guard let ask = load.ask, load.nextSign <= now else { continue }
            self.connection.io.state.progress(ask, completed: load.byteCount, total: nil)
            load.noteSign()
        }
    }

    /// However the offer ends, no command outlives it.
    private func stopAll() {
        for load in self.loads { load.stop() }
        while let time = self.loads.compactMap(\.killTime).min() {
            let ends = self.loads.flatMap { $0.interests(takesOutput: false) }.filter { $0.0 == .end }.map(\.1)
            guard !ends.isEmpty else { break }
            _ = try? System.poll(ends, milliseconds: Int(MonotonicClock.millisecondsLeft(until: time)))
            self.loads.removeAll { load in
                load.noteEndIfOver()
                guard load.isComplete else { return false }
                load.finishStopping()
                return true
            }
            let now = MonotonicClock.now()
            for load in self.loads where load.killTime.map({ $0 <= now }) ?? false { load.kill() }
        }
    }
}
