import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Answers the asks for promised representations with the output of shell commands, with files, and with archives of
/// folders: several asks at the same time, each at the speed of its destination.
final class AskServer {
    /// The number of asks that are open at once; the broker lets further ones wait.
    static let maximumAsks: UInt32 = 16
    /// The longest time between progress reports for a program without output, in milliseconds.
    private static let longestSilence: UInt64 = 5_000

    private let connection: BlockingConnection
    /// The origins, by item and representation.
    private let origins: [[AskOrigin]]
    private let progressDeadline: UInt64
    /// Called with a line for each load that is over.
    private let report: ((String) -> Void)?
    private var programs: [ServedProgram] = []
    private var files: [ServedFile] = []
    private var sentBefore: UInt64 = 0
    /// The size of all requested bytes; nil if one of the sizes is not known before the end.
    private(set) var wanted: UInt64? = 0

    /// - Parameter report: called with a line for each load that is over.
    init(_ connection: BlockingConnection, origins: [[AskOrigin]], report: ((String) -> Void)? = nil) throws {
        self.connection = connection
        self.origins = origins
        self.report = report
        progressDeadline = try connection.welcome().progressMilliseconds ?? .max
    }

    /// Whether no ask is open.
    var isIdle: Bool { programs.isEmpty && files.isEmpty }

    /// The bytes sent so far.
    var sent: UInt64 {
        let open = programs.reduce(sentBefore) { $0 &+ $1.byteCount }
        return files.reduce(open) { $0 &+ $1.sent }
    }

    /// Waits for events, for descriptors of the caller, or until `deadline`, and handles the events.
    ///
    /// - Parameter handle: called for each event that does not concern an ask.
    /// - Returns: what is ready on `extra`, in its order.
    func turn(
        watching extra: [PollInterest],
        until deadline: UInt64 = .max,
        _ handle: (ClientEvent) throws -> Void
    ) throws -> [PollInterest.Readiness] {
        // Small chunks wait for a flush. After it, programs and files wait only if the socket has not accepted all
        // bytes.
        try connection.io.flush()
        let mayGoOn = !connection.io.wantsWrite && files.contains { isSendable($0) }
        let watched = programs.flatMap { program in
            program.interests(takesOutput: canForward(program)).map { (program, stream: $0.0, interest: $0.1) }
        }
        let end = mayGoOn ? 0 : min(nextTime, deadline)
        var events: [(event: ClientEvent, type: String)] = []
        let ready = try connection.turn(extra: extra + watched.map(\.interest), until: end) { _, event, bytes in
            let type = if case .asked(_, let ask) = event { ask.type(in: bytes) } else { "" }
            events.append((event, type))
        }
        for (event, type) in events {
            switch event {
            case .asked(let stream, let ask): start(stream, ask, type)
            case .askCancelled(let stream): programs.first { $0.ask == stream }?.stop()
            default: try handle(event)
            }
        }
        for (watch, readiness) in zip(watched, ready.dropFirst(extra.count)) where !readiness.isEmpty {
            try watch.0.handle(watch.stream) { try forward(watch.0) }
        }
        checkTimes()
        programs.removeAll { finish($0) }
        try serveFiles()
        return Array(ready.prefix(extra.count))
    }

    // MARK: Beginning

    private func start(_ stream: UInt64, _ ask: AskFields, _ type: String) {
        let (item, index) = (Int(clamping: ask.item), Int(clamping: ask.representation))
        guard item < origins.count, index < origins[item].count else {
            let failure = Failure(.sourceFailed, "this program does not offer representation \(index) of item \(item)")
            return connection.io.state.fail(stream, failure)
        }
        let origin = origins[item][index]
        if case .input(let input) = origin, input.folder == nil {
            let file = ServedFile(input, ask: stream, record: AskRecord(type))
            wanted = wanted.map { $0.addingReportingOverflow(file.byteCount).partialValue }
            files.append(file)
            return
        }
        wanted = nil
        // A third of the broker's deadline, so that one late report does not end the load.
        let allowed = min(ask.firstByteMilliseconds ?? .max, progressDeadline) / 3
        let interval = Int(max(10, min(Self.longestSilence, allowed)))
        do {
            let record = AskRecord(type)
            programs.append(
                try ServedProgram(origin.program(), ask: stream, record: record, reportInterval: interval)
            )
        } catch {
            let reason = (error as? Failure)?.text ?? "\((error as? SystemError)?.withoutDirectory ?? error)"
            let failure = Failure(.sourceFailed, "cannot run the program for \(type): \(reason)")
            return connection.io.state.fail(stream, failure)
        }
        guard case .input(let input) = origin, let folder = input.folder else { return }
        connection.io.state.answer(stream, byteCount: nil, content: .folderArchive, fileName: folder.name.description)
    }

    // MARK: Programs

    private func canForward(_ program: ServedProgram) -> Bool {
        // While the socket is full, no output is read: only the buffer of the pipe may fill.
        guard let ask = program.ask, !connection.io.wantsWrite else { return false }
        return (connection.io.state.sendable(ask) ?? 0) > 0
    }

    private func forward(_ program: ServedProgram) throws {
        guard let ask = program.ask, let room = connection.io.state.sendable(ask), room > 0 else { return }
        let bytes = try program.readOutput(upTo: min(room, WireLimits.dataLength))
        var chunk = OutgoingChunk(bytes, isLast: false)
        while try connection.io.sendFrame(of: &chunk, on: ask) {}
    }

    /// Ends the load if its program has ended, and returns whether it has.
    private func finish(_ program: ServedProgram) -> Bool {
        program.recordEndOfOutputIfOver()
        guard program.isComplete else { return false }
        sentBefore &+= program.byteCount
        guard let ask = program.ask else {
            program.finishStopping()
            report?(program.record.line(program.byteCount, "cancelled"))
            return true
        }
        let failure = program.failure()
        if let failure {
            connection.io.state.fail(ask, failure)
        } else {
            connection.io.state.end(ask)
        }
        report?(program.record.line(program.byteCount, failure?.text ?? "done"))
        return true
    }

    // MARK: Files

    private func isSendable(_ file: ServedFile) -> Bool {
        (connection.io.state.sendable(file.ask) ?? 1) > 0
    }

    private func serveFiles() throws {
        var open: [ServedFile] = []
        for file in files {
            // One chunk of each file in turn.
            if try !connection.io.wantsWrite && file.serve(connection) {
                sentBefore &+= file.sent
                let isWhole = file.sent == file.byteCount
                report?(file.record.line(file.sent, file.failure?.text ?? (isWhole ? "done" : "cancelled")))
            } else {
                open.append(file)
            }
        }
        files = open
    }

    // MARK: Time

    private var nextTime: UInt64 {
        programs.compactMap { $0.killTime ?? ($0.ask == nil ? nil : $0.nextReport) }.min() ?? .max
    }

    private func checkTimes() {
        let now = MonotonicClock.now()
        for program in programs {
            if let time = program.killTime, time <= now { program.kill() }
            guard let ask = program.ask, program.nextReport <= now else { continue }
            connection.io.state.progress(ask, completed: program.byteCount, total: nil)
            program.recordReport()
        }
    }

    /// Ends all asks, because their connection is lost. Does not wait for the ends of their programs, as `stop` does.
    func cancelAll() {
        files = []
        for program in programs { program.stop() }
    }

    /// Ends all programs: none of them outlives this process.
    func stop() {
        for program in programs { program.stop() }
        while let time = programs.compactMap(\.killTime).min() {
            let ends = programs.flatMap { $0.interests(takesOutput: false) }.filter { $0.0 == .end }.map(\.1)
            guard !ends.isEmpty else { break }
            _ = try? System.poll(ends, milliseconds: Int(MonotonicClock.millisecondsLeft(until: time)))
            programs.removeAll { program in
                program.recordEndIfOver()
                guard program.isComplete else { return false }
                program.finishStopping()
                return true
            }
            let now = MonotonicClock.now()
            for program in programs where program.killTime.map({ $0 <= now }) ?? false { program.kill() }
        }
    }
}

/// The type and start time of a load, for the line that reports its end.
struct AskRecord {
    let type: String
    private let startedAt = MonotonicClock.now()

    init(_ type: String) {
        self.type = type
    }

    /// `public.png: 3.0 MiB in 12 ms: done`
    func line(_ byteCount: UInt64, _ outcome: String) -> String {
        let milliseconds = (MonotonicClock.now() - startedAt) / 1_000_000
        return "\(type): \(ByteCount.text(byteCount)) in \(milliseconds) ms: \(outcome)"
    }
}
