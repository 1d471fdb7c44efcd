import Glibc
import PasteboardTransport
import PasteboardWire

/// A small process that outlives the broker: it has the socket, the lock and the saved contents, and starts the broker
/// again if it dies.
///
/// It does for its broker what systemd does for a service, through the same variables and messages, so a broker has one
/// way in. It reads nothing that a client sends. Between two messages it waits, and takes no time and no memory.
struct Keeper: ~Copyable {
    /// The name of the descriptor of the lock that the keeper passes.
    static let lockName = "lock"
    /// The name of the descriptor of a broker's own program.
    static let programName = "exe"

    /// The end of the keeper.
    private enum End: Error {
        case exit(CInt)
    }

    private struct Broker {
        let process: ChildProcess
        /// The time at which clients could connect; nil before.
        var readyAt: UInt64?
    }

    private enum Phase {
        case running(Broker)
        /// Until the next start.
        case pausing(until: UInt64)
    }

    private let path: SocketPath
    /// nil once a successor may take the path.
    private var claimed: ClaimedSocket?
    private var notifications: NotificationSocket
    private let signals: SignalDescriptor
    private var arguments: [String]
    /// The program of the broker; nil for that of the keeper.
    private var program: DescriptorBox?
    /// A program that takes the broker's place as soon as the broker has let go.
    private var replacement: Replacement?
    /// Brokers that finish their last loads while another one serves.
    private var leaving: [ChildProcess] = []
    private let environment: [String]
    private var saved: SavedDescriptors
    private var policy = RestartPolicy()
    private var startsEmpty = false
    private var phase = Phase.pausing(until: 0)
    /// Whether the broker was asked to end, or does so by itself.
    private var isEnding = false
    /// Whether clients could connect at some time.
    private var hasBeenReady = false
    /// Told once that clients can connect.
    private var ready: OwnedDescriptor?
    private let log: LogStream

    /// - Parameters:
    ///   - arguments: those of the broker, without the program's name.
    ///   - ready: a descriptor to which a byte is written when clients can connect.
    init(at path: SocketPath, arguments: [String], ready: CInt?, log: LogStream) throws(Failure) {
        let signals = try asFailure { () throws(SystemError) in
            try SignalDescriptor([SIGTERM, SIGINT, SIGHUP, SIGCHLD])
        }
        let claimed = try BrokerServer.claim(path)
        let notifications = try asFailure { () throws(SystemError) in try NotificationSocket(path: path.keeper) }
        self.path = path
        self.claimed = consume claimed
        self.notifications = notifications
        self.signals = signals
        self.arguments = arguments
        self.ready = ready.map { OwnedDescriptor(adopting: $0) }
        self.log = log
        saved = SavedDescriptors(limit: System.descriptorLimit())
        environment = ServiceManager.withoutVariables(System.environment())
    }

    /// Runs until the broker ends as it was asked to, or cannot be kept running. Returns its exit code.
    mutating func run() throws(Failure) -> CInt {
        do {
            try start()
            while true { try turn() }
        } catch End.exit(let code) {
            if isEnding {
                let text = "the running broker was stopped before the new one ran; start one without --replace"
                replacement?.finish(text)
            }
            return code
        } catch {
            throw error as? Failure ?? Failure(.brokerUnavailable, "\(error)")
        }
    }

    private mutating func turn() throws {
        var wait: Int?
        if let deadline = replacement?.deadline { wait = Int(MonotonicClock.millisecondsLeft(until: deadline)) }
        if case .pausing(let until) = phase { wait = Int(MonotonicClock.millisecondsLeft(until: until)) }
        let interests = [PollInterest(notifications.raw, .readable), PollInterest(signals.raw, .readable)]
        _ = try System.poll(interests, milliseconds: wait)
        try takeMessages()
        while let signal = try signals.next() { try take(signal) }
        if let deadline = replacement?.deadline, deadline <= MonotonicClock.now() { endLate() }
        guard case .pausing(let until) = phase else { return }
        // The signal went to the broker that has let another one take over: the next one would not get it.
        if isEnding { throw End.exit(0) }
        if until <= MonotonicClock.now() { try start() }
    }

    /// The most messages that are taken at once, so that signals do not wait.
    private static let messagesPerTurn = 1_000
    /// The time after which a program that could not be started is tried again, in milliseconds.
    private static let startInterval = 1_000

    private mutating func takeMessages() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard let message = try notifications.next() else { return }
            take(message)
        }
    }

    // MARK: The broker

    private mutating func start() throws {
        // Without its path, no client would find the broker, and another one may have the path.
        guard claimed?.isReachable == true, let (socket, lock) = claimed?.descriptors else {
            log.write(
                "the socket \(path.path) has been removed or replaced: the broker is not started again, because no client "
                    + "can find it, and its contents are lost"
            )
            throw End.exit(3)
        }
        // Somebody may have removed its file. A broker that cannot reach its keeper does not start.
        if !notifications.isReachable, let socket = try? NotificationSocket(path: path.keeper) {
            notifications = socket
        }
        // By default the one that runs here, whatever is at its path now.
        let program = replacement?.program ?? self.program
        var passed: [(name: String, raw: CInt)] = [("socket", socket), (Self.lockName, lock)]
        for kept in saved.all { passed.append((kept.name, kept.descriptor.raw)) }
        if let program { passed.append((Self.programName, program.raw)) }
        // In ascending order, starting the child needs no duplicates, for which many saved descriptors may leave no room.
        passed.sort { $0.raw < $1.raw }
        let own = try asFailure { () throws(SystemError) in try System.restartPath() }
        var configuration = ChildProcess.Configuration(
            path: passed.firstIndex { $0.raw == program?.raw }.map { "/proc/self/fd/\(3 + $0)" } ?? own,
            arguments: replacement.map { Replacement.arguments($0.arguments, after: arguments) } ?? arguments,
            environment: environment + [
                "LISTEN_FDS=\(passed.count)", "LISTEN_FDNAMES=" + passed.map(\.name).joined(separator: ":"),
                "NOTIFY_SOCKET=\(notifications.path)", "FDSTORE=\(saved.capacity)",
                "\(ServiceManager.keeperVariable)=\(System.processID)",
            ] + (startsEmpty ? ["\(ServiceManager.emptyVariable)=1"] : [])
                + (hasBeenReady ? ["\(ServiceManager.restartVariable)=1"] : [])
        )
        configuration.arguments[0] = SystemString(CommandLine.arguments.first ?? "pasteboardd")
        configuration.input = .inherited
        configuration.errors = .inherited
        configuration.descriptors = passed.map(\.raw)
        do throws(SystemError) {
            phase = .running(Broker(process: try ChildProcess(configuration)))
        } catch {
            if giveUpReplacement("\(error)") { return try start() }
            guard hasBeenReady else { throw Failure(.brokerUnavailable, "cannot start the broker: \(error)") }
            // Memory or processes have run out, which says nothing about the program and the contents.
            log.write("cannot start the broker: \(error); trying again in \(Self.startInterval) ms")
            phase = .pausing(until: MonotonicClock.deadline(milliseconds: Self.startInterval))
        }
    }

    private mutating func take(_ message: NotificationSocket.Message) {
        if let request = Replacement(message) { return replace(by: request) }
        // Any process can send a message.
        guard case .running(var broker) = phase, message.sender == broker.process.id else { return }
        if message["READY"] == "1" {
            broker.readyAt = MonotonicClock.now()
            hasBeenReady = true
            if let ready = ready.take() { try? System.write([UInt8(ascii: "r")].span, to: ready.raw) }
            acceptReplacement()
        }
        saved.take(message)
        // Without a replacement, the same program takes over.
        if message["HANDOVER"] == "1" {
            leaving.append(broker.process)
            phase = .pausing(until: 0)
            return
        }
        if message["STOPPING"] == "1" {
            isEnding = true
            notifications.removeFile()
            claimed?.withdraw()
            claimed = nil
            saved.removeAll()
        }
        phase = .running(broker)
        // A receipt is the end of this message: its descriptors are closed.
    }

    // MARK: Replacement

    private mutating func replace(by request: Replacement) {
        guard case .running(let broker) = phase, replacement == nil, broker.readyAt != nil, !isEnding else {
            return request.finish("the broker starts or ends just now; try again")
        }
        replacement = request
        // It stops listening, answers when everything is saved, and finishes its loads.
        try? broker.process.kill(SIGUSR2)
    }

    /// The replacement takes too long: either broker may be stuck.
    private mutating func endLate() {
        guard case .running(let broker) = phase else { return }
        if broker.readyAt == nil {
            // The earlier program starts when this one has ended. A system call that cannot be interrupted may delay that end,
            // so nothing else is due at a time.
            try? broker.process.kill(SIGKILL)
            replacement?.deadline = nil
        } else {
            _ = giveUpReplacement("the running one does not let go")
        }
    }

    /// The new broker runs.
    private mutating func acceptReplacement() {
        guard let replacement else { return }
        program = replacement.program
        arguments = Replacement.arguments(replacement.arguments, after: arguments)
        replacement.finish()
        self.replacement = nil
    }

    /// The new broker does not run, so the earlier program does.
    ///
    /// - Returns: false if there is no replacement.
    private mutating func giveUpReplacement(_ reason: String) -> Bool {
        guard let replacement else { return false }
        replacement.finish("the new broker does not start (\(reason)); the earlier program serves again")
        self.replacement = nil
        return true
    }

    private mutating func take(_ signal: CInt) throws {
        guard signal == SIGCHLD else {
            isEnding = true
            for process in leaving { try? process.kill(signal) }
            guard case .running(let broker) = phase else { throw End.exit(0) }
            try? broker.process.kill(signal)
            return
        }
        reapLeaving()
        guard case .running(let broker) = phase, let end = try System.waitForProcess(broker.process.id, hang: false)
        else { return }
        // It may have sent some since they were looked for.
        try takeMessages()
        guard case .running(let latest) = phase else {
            // It has let another one take over. Its process id may be that of any other process from now on.
            return leaving.removeAll { $0.id == broker.process.id }
        }
        try ended(latest, end)
    }

    private mutating func reapLeaving() {
        // Another error means that the end was noticed already.
        leaving.removeAll { process in
            do throws(SystemError) {
                return try System.waitForProcess(process.id, hang: false) != nil
            } catch {
                return true
            }
        }
    }

    private mutating func ended(_ broker: Broker, _ end: ProcessEnd) throws {
        let (reason, code): (String, CInt) =
            switch end {
            case .exited(let code): ("exited with status \(code)", code)
            case .signaled(let signal): ("was ended by signal \(signal)", 128 + signal)
            }
        if isEnding { throw End.exit(code) }
        if broker.readyAt == nil, giveUpReplacement(reason) { return try start() }
        if code == 0 { throw End.exit(code) }
        // It could not start at all, and has said why.
        if broker.readyAt == nil, case .exited = end, !hasBeenReady { throw End.exit(code) }
        let decision = policy.ended(after: broker.readyAt.map { (MonotonicClock.now() - $0) / 1_000_000 })
        log.write("the broker (process \(broker.process.id)) \(reason); \(Self.consequence(decision))")
        try pause(decision)
    }

    private static func consequence(_ decision: RestartPolicy.Decision) -> String {
        switch decision {
        case .restart(0): "starting it again"
        case .restart(let pause): "starting it again in \(pause) ms"
        case .restartEmpty(let pause): "starting it again in \(pause) ms without the saved contents"
        case .giveUp: "it dies again and again, so it is not started any more, and its contents are lost"
        }
    }

    private mutating func pause(_ decision: RestartPolicy.Decision) throws {
        switch decision {
        case .restart(let pause): phase = .pausing(until: MonotonicClock.deadline(milliseconds: Int(pause)))
        case .restartEmpty(let pause):
            saved.removeAll()
            startsEmpty = true
            phase = .pausing(until: MonotonicClock.deadline(milliseconds: Int(pause)))
        case .giveUp: throw End.exit(3)
        }
    }
}
