import Glibc
import PasteboardTransport
import PasteboardWire

/// A small process that outlives the broker: it holds the socket, the lock and the saved contents, and starts the
/// broker again after a crash.
///
/// It does for its broker what systemd does for a service, by the same variables and messages, so a broker starts in
/// the same way under both. The messages come over a pair of sockets, of which only its own broker has the other end.
/// Other processes can only request a takeover (see `Replacement`).
struct Keeper: ~Copyable {
    /// The name of the descriptor of the lock that the keeper passes.
    static let lockName = "lock"
    /// The name of the descriptor to which the broker sends its messages.
    static let messagesName = "messages"

    /// The end of the keeper.
    private enum End: Error {
        case exit(CInt)
    }

    private struct Broker {
        let process: ChildProcess
        /// The time at which clients could connect; nil before.
        var readyAt: UInt64?
        /// The time at which it is killed unless it has done what the keeper waits for; nil for no time.
        var deadline: UInt64?
        /// Whether it was killed for missing that time.
        var isKilled = false
        /// Whether it may wait for a disk. The system may not report its end in that case.
        var mayHang = false
    }

    private enum Phase {
        case running(Broker)
        /// No broker runs until the next start.
        case pausing(until: UInt64)
    }

    /// A program to run as the broker.
    private struct Program {
        /// nil for the program of the keeper.
        var path: String?
        var arguments: [String]
    }

    private let path: SocketPath
    /// nil once a successor may take the path.
    private var claimed: ClaimedSocket?
    /// nil if its path cannot be used.
    private var requests: NotificationSocket?
    /// The messages of the running broker.
    private var messages: NotificationSocket?
    private let signals: SignalDescriptor
    private var program: Program
    /// The program that ran before a takeover, until the probation of the new one is over.
    private var earlier: Program?
    /// A program that takes the broker's place once the broker has released the socket.
    private var replacement: Replacement?
    /// Brokers that finish their last loads while another one serves, and killed ones that have not ended yet.
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
    /// The descriptor that gets a byte when clients can connect for the first time; nil afterwards.
    private var ready: OwnedDescriptor?
    private var lastRefusal: UInt64?
    private let log: LogStream

    /// - Parameters:
    ///   - arguments: those of the broker, without the program's name.
    ///   - ready: a descriptor to which a byte is written when clients can connect.
    init(at path: SocketPath, arguments: [String], ready: CInt?, log: LogStream) throws(Failure) {
        let signals = try asFailure { () throws(SystemError) in
            try SignalDescriptor([SIGTERM, SIGINT, SIGHUP, SIGCHLD])
        }
        let claimed = try BrokerServer.claim(path)
        do throws(SystemError) {
            requests = try NotificationSocket(path: path.keeper)
        } catch {
            log.write("no other broker can take over: \(error)")
            requests = nil
        }
        self.path = path
        self.claimed = consume claimed
        self.signals = signals
        program = Program(arguments: arguments)
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
        var deadline: UInt64?
        switch phase {
        case .running(let broker): deadline = broker.deadline
        case .pausing(let until): deadline = until
        }
        var wait = deadline.map { Int(MonotonicClock.millisecondsLeft(until: $0)) }
        if mayHang { wait = min(wait ?? .max, Self.endInterval) }
        var interests = [PollInterest(signals.raw, .readable)]
        if let raw = messages?.raw { interests.append(PollInterest(raw, .readable)) }
        if let raw = requests?.raw { interests.append(PollInterest(raw, .readable)) }
        _ = try System.poll(interests, milliseconds: wait)
        try handleMessages()
        if let request = try requests?.next() { handle(request: request) }
        while let signal = try signals.next() { try handle(signal) }
        switch phase {
        case .running(let broker):
            if mayHang, Self.isDead(broker.process), try !handleEnd(of: broker) {
                return try endUnreported(broker)
            }
            if let deadline = broker.deadline, deadline <= MonotonicClock.now() { try miss(broker) }
        case .pausing(let until):
            // The signal went to the broker that has let another one take over: the next one would not get it.
            if isEnding { throw End.exit(0) }
            if until <= MonotonicClock.now() { try start() }
        }
    }

    /// Whether the end of the broker may not be reported: a thread that waits for a disk prevents that.
    private var mayHang: Bool {
        if case .running(let broker) = phase { isEnding || broker.mayHang } else { false }
    }

    /// The most messages that are taken at once, so that signals do not wait.
    private static let messagesPerTurn = 1_000
    /// The time after which a program that could not be started is tried again, in milliseconds.
    private static let startInterval = 1_000
    /// The time after which an ending broker is looked at again, in milliseconds.
    private static let endInterval = 500

    private mutating func handleMessages() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard let message = try messages?.next() else { return }
            handle(message)
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
        do throws(SystemError) {
            phase = .running(try startBroker(at: socket, lock))
        } catch {
            if giveUpReplacement("\(error)") { return try start() }
            guard hasBeenReady else { throw Failure(.brokerUnavailable, "cannot start the broker: \(error)") }
            // Memory or processes have run out, which says nothing about the program and the contents.
            log.write("cannot start the broker: \(error); trying again in \(Self.startInterval) ms")
            phase = .pausing(until: MonotonicClock.deadline(milliseconds: Self.startInterval))
        }
    }

    private mutating func startBroker(at socket: CInt, _ lock: CInt) throws(SystemError) -> Broker {
        var other: OwnedDescriptor?
        messages = try NotificationSocket(other: &other)
        var passed: [(name: String, raw: CInt)] = [("socket", socket), (Self.lockName, lock)]
        if let raw = other?.raw { passed.append((Self.messagesName, raw)) }
        for kept in saved.all { passed.append((kept.name, kept.descriptor.raw)) }
        // In ascending order, starting the child needs no duplicates, for which many saved descriptors may leave no
        // room.
        passed.sort { $0.raw < $1.raw }
        var next = program
        if let replacement {
            next.path = replacement.program
            next.arguments = Replacement.arguments(replacement.arguments, after: program.arguments)
        }
        let path = if let path = next.path { path } else { try System.restartPath() }
        var configuration = ChildProcess.Configuration(
            path: path,
            arguments: next.arguments,
            environment: environment + [
                "LISTEN_FDS=\(passed.count)", "LISTEN_FDNAMES=" + passed.map(\.name).joined(separator: ":"),
                "FDSTORE=\(saved.capacity)", "\(ServiceManager.keeperVariable)=\(System.processID)",
            ] + (startsEmpty ? ["\(ServiceManager.emptyVariable)=1"] : [])
                + (hasBeenReady ? ["\(ServiceManager.restartVariable)=1"] : [])
        )
        configuration.arguments[0] = SystemString(CommandLine.arguments.first ?? "pasteboardd")
        configuration.input = .inherited
        configuration.errors = .inherited
        configuration.descriptors = passed.map(\.raw)
        var broker = Broker(process: try ChildProcess(configuration))
        if replacement != nil { broker.deadline = MonotonicClock.deadline(milliseconds: Replacement.Time.ready) }
        return broker
    }

    private mutating func handle(_ message: NotificationSocket.Message) {
        guard case .running(var broker) = phase else { return }
        if let time = message["EXTEND_TIMEOUT_USEC"].flatMap({ UInt64($0) }) {
            // The broker does something that may hang, and sends another message before this time.
            let milliseconds = Int(min(time / 1_000, Self.longestExtension))
            broker.deadline = MonotonicClock.deadline(milliseconds: milliseconds)
            broker.mayHang = true
        }
        if message["READY"] == "1", broker.readyAt == nil {
            (broker.readyAt, broker.deadline) = (MonotonicClock.now(), nil)
            hasBeenReady = true
            if let ready = ready.take() { try? System.write([UInt8(ascii: "r")].span, to: ready.raw) }
            acceptReplacement()
        }
        saved.handle(message)
        phase = .running(broker)
        // Without a replacement, the same program takes over.
        if message["TAKEOVER"] == "1" {
            leave(broker)
        } else if message["STOPPING"] == "1" {
            broker.deadline = nil
            phase = .running(broker)
            isEnding = true
            requests = nil
            claimed?.withdraw()
            claimed = nil
            saved.removeAll()
        }
    }

    /// The longest time for which a broker can ask, in milliseconds.
    private static let longestExtension: UInt64 = 120_000

    /// Starts the next broker without waiting for the end of this one.
    private mutating func leave(_ broker: Broker) {
        leaving.append(broker.process)
        phase = .pausing(until: 0)
    }

    /// Kills a broker that has missed its deadline. Another one follows even if the killed one does not end because it
    /// waits for a disk.
    private mutating func miss(_ broker: Broker) throws {
        var broker = broker
        guard broker.isKilled else {
            try? broker.process.kill(SIGKILL)
            broker.isKilled = true
            broker.deadline = MonotonicClock.deadline(milliseconds: Replacement.Time.release)
            phase = .running(broker)
            return
        }
        try endUnreported(broker)
    }

    private mutating func endUnreported(_ broker: Broker) throws {
        leaving.append(broker.process)
        try ended(broker, isEnding ? .exited(0) : .signaled(SIGKILL))
    }

    /// Whether a process has ended, even if the system does not report it, because one of its threads waits for a disk.
    private static func isDead(_ process: ChildProcess) -> Bool {
        guard let status = try? System.contents(of: "/proc/\(process.id)/stat"),
            let end = status.lastIndex(of: UInt8(ascii: ")")), end + 2 < status.count
        else { return false }
        return status[end + 2] == UInt8(ascii: "Z")
    }

    // MARK: Takeovers

    private mutating func handle(request message: NotificationSocket.Message) {
        guard let request = Replacement(message) else { return }
        if let refusal = Replacement.refusal(of: message) {
            // Any process can send any number of requests.
            if lastRefusal.map({ MonotonicClock.now() - $0 > 1_000_000_000 }) ?? true {
                log.write("a request to replace the broker is refused: \(refusal)")
            }
            lastRefusal = MonotonicClock.now()
            return request.finish("the keeper refuses it: \(refusal)")
        }
        guard case .running(var broker) = phase, replacement == nil, broker.readyAt != nil, !isEnding else {
            return request.finish("the broker starts or ends just now; try again")
        }
        replacement = request
        // The broker stops listening, sends `TAKEOVER=1` when everything is saved, and finishes its loads.
        try? broker.process.kill(SIGUSR2)
        broker.deadline = MonotonicClock.deadline(milliseconds: Replacement.Time.release)
        phase = .running(broker)
    }

    /// The new broker runs.
    private mutating func acceptReplacement() {
        guard let replacement else { return }
        earlier = program
        program.path = replacement.program
        program.arguments = Replacement.arguments(replacement.arguments, after: program.arguments)
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

    // MARK: Signals and ends

    private mutating func handle(_ signal: CInt) throws {
        guard signal == SIGCHLD else {
            isEnding = true
            for process in leaving { try? process.kill(signal) }
            guard case .running(let broker) = phase else { throw End.exit(0) }
            try? broker.process.kill(signal)
            return
        }
        leaving.removeAll { process in
            do throws(SystemError) {
                return try System.waitForProcess(process.id, hang: false) != nil
            } catch {
                // The end was noticed already.
                return true
            }
        }
        if case .running(let broker) = phase { _ = try handleEnd(of: broker) }
    }

    /// Returns false if the system does not report the end of the broker.
    private mutating func handleEnd(of broker: Broker) throws -> Bool {
        guard let end = try System.waitForProcess(broker.process.id, hang: false) else { return false }
        // The broker may have sent some since the last look.
        try handleMessages()
        if case .running(let latest) = phase {
            try ended(latest, end)
        } else {
            // Another broker has taken over. From now on the process id may belong to any other process.
            leaving.removeAll { $0.id == broker.process.id }
        }
        return true
    }

    private mutating func ended(_ broker: Broker, _ end: ProcessEnd) throws {
        let (reason, code): (String, CInt) =
            switch end {
            case .exited(let code): ("exited with status \(code)", code)
            case .signaled(let signal): ("was ended by signal \(signal)", 128 + signal)
            }
        if isEnding { throw End.exit(code) }
        let time = broker.readyAt.map { (MonotonicClock.now() - $0) / 1_000_000 }
        if let time, replacement != nil {
            // The broker was asked to release the socket, and has ended instead. The new one begins with what was
            // saved.
            log.write("the broker (process \(broker.process.id)) \(reason) after \(time) ms, before its replacement")
            return try start()
        }
        if time == nil, giveUpReplacement(broker.isKilled ? "it is not ready after 5 s" : reason) { return try start() }
        if let earlier = self.earlier.take(), time ?? 0 < Replacement.Time.probation {
            log.write("the new broker (process \(broker.process.id)) \(reason); the earlier program serves again")
            program = earlier
            return try start()
        }
        if code == 0 { throw End.exit(code) }
        // The broker could not start at all, and has printed the reason.
        if time == nil, case .exited = end, !hasBeenReady { throw End.exit(code) }
        let decision = policy.ended(after: time)
        log.write("the broker (process \(broker.process.id)) \(reason); \(Self.consequence(decision))")
        try pause(decision)
    }

    private static func consequence(_ decision: RestartPolicy.Decision) -> String {
        switch decision {
        case .restart(0): "starting it again"
        case .restart(let pause): "starting it again in \(pause) ms"
        case .restartEmpty(let pause): "starting it again in \(pause) ms without the saved contents"
        case .giveUp: "it crashes again and again, so it is not started any more, and its contents are lost"
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
