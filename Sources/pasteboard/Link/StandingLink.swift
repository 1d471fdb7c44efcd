import BrokerLoop
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A link to another machine for as long as the command runs: it connects again after each loss.
final class StandingLink: Sendable {
    /// The time for the other broker's answer to hello, in milliseconds. The user may have to enter a password.
    private static let greeting = 120_000
    /// The time after which a link counts as a success, so that the delays begin anew, in nanoseconds.
    private static let calm: UInt64 = 10_000_000_000

    private let operand: String
    private let machine: String
    /// The name of this machine on the other one.
    private let own: String
    private let via: String?
    private let boards: [String]
    private let sides: [Link.Side]
    private let permits: LinkedBoard.Permits
    private let silence: Int
    private let reports = Lock(PeerLog())

    /// - Parameters:
    ///   - operand: the machine as ssh knows it.
    ///   - own: the name of this machine on the other one.
    ///   - via: a shell command that reaches the other broker; nil for ssh.
    ///   - silence: the time after which a silent machine counts as lost, in milliseconds; nil for one day.
    init(
        to operand: String,
        as own: String,
        via: String?,
        boards: [String],
        from sides: [Link.Side],
        permits: LinkedBoard.Permits,
        silence: UInt64?
    ) {
        self.operand = operand
        machine = operand.split(separator: "@").last.map(String.init) ?? operand
        self.own = own
        self.via = via
        self.boards = boards
        self.sides = sides
        self.permits = permits
        // Sums of such times cannot overflow.
        self.silence = Int(min(silence ?? .max, 86_400_000))
    }

    func run(on loop: Loop) async throws -> CInt {
        let signals = try SignalBox(interrupting: loop)
        var (hasBegun, backoff) = (false, Backoff())
        while true {
            do {
                try await connect(on: loop, &hasBegun, &backoff)
            } catch {
                try signals.check()
                let failure: any Error = (error as? Link.Lost)?.failure ?? error
                let isStopped = (error as? Link.Lost)?.loss == .stopped
                guard hasBegun, !isStopped, !Task.isCancelled, !(failure is CommandFailure) else { throw failure }
                note("\((failure as? Failure)?.text ?? "\(failure)"); connecting again")
            }
            // A time that stands still lets the delays grow until the next success, however long an attempt takes.
            let delay = backoff.delay(at: 0, random: .random(in: 0...1))
            await loop.sleep(until: MonotonicClock.deadline(milliseconds: delay))
            try signals.check()
        }
    }

    /// Connects to both brokers, and passes contents on until one connection is lost.
    private func connect(on loop: Loop, _ hasBegun: inout Bool, _ backoff: inout Backoff) async throws {
        let program = try LinkProgram(to: operand, via: via, silence: silence)
        defer { program.stop() }
        if !hasBegun { note("connecting to \(machine)") }
        var timeouts = ConnectionTimeouts()
        timeouts.welcome = Self.greeting
        // A probe is sent so early that the machine can answer in time.
        (timeouts.silence, timeouts.probe) = (silence / 3 * 2, silence / 3)
        let far = program.end(
            at: machine,
            own: own,
            passesConcealed: permits.concealed,
            on: loop,
            timeouts: timeouts
        )
        defer { far.connection.end() }
        do {
            try await begin(far, .far, program)
            let near = try near(on: loop)
            defer { near.connection.end() }
            try await begin(near, .near, program)
            guard near.connection.welcome.epoch != far.connection.welcome.epoch else {
                throw CommandFailure(usage: "\(machine) has the same broker as this program; name another machine")
            }
            // Programs bring back first what they had at a broker that has crashed.
            let settling = [near, far].compactMap(\.connection.welcome.settlingMilliseconds).max() ?? 0
            await loop.sleep(until: MonotonicClock.deadline(milliseconds: Int(min(settling, WireLimits.settlingTime))))
            let link = Link(near: near, far: far, boards: boards, from: sides, permits: permits) { self.report($0) }
            note(hasBegun ? "connected again" : "linked with \(machine): \(boards.joined(separator: ", "))")
            hasBegun = true
            let begin = MonotonicClock.now()
            defer { if MonotonicClock.now() - begin > Self.calm { backoff = Backoff() } }
            try await link.run()
        } catch let lost as Link.Lost {
            throw explain(lost, by: program, advising: !hasBegun)
        }
    }

    private func begin(_ end: LinkEnd, _ side: Link.Side, _ program: LinkProgram) async throws {
        do throws(RequestFailure) {
            try await end.begin()
        } catch {
            let failure = side == .far ? program.explained(error.failure, at: end) : error.failure
            throw Link.Lost(side, failure, end.connection.failure?.loss ?? error.loss)
        }
    }

    /// The loss with the machine, and with the end of the program as its reason.
    private func explain(_ lost: Link.Lost, by program: LinkProgram, advising: Bool) -> Link.Lost {
        if lost.loss == .stopped {
            let name = lost.side == .near ? own : machine
            let text = "the broker on \(name) was stopped, and the link has ended: \(lost.failure.text)"
            return Link.Lost(lost.side, Failure(lost.failure.code, text), lost.loss)
        }
        guard lost.side == .far else { return lost }
        guard lost.loss == .crashed, let end = program.howItEnded() else { return lost }
        let advice = advising ? "; see 'pasteboard doctor --link \(operand)'" : ""
        return Link.Lost(.far, Failure(.linkDown, "\(machine): \(end)\(advice)"), lost.loss)
    }

    private func near(on loop: Loop) throws(Failure) -> LinkEnd {
        let connector = try BrokerConnector()
        return LinkEnd(
            adopting: try connector.connect(),
            path: connector.socket.path,
            machine: own,
            label: "link to \(machine)",
            passesConcealed: permits.concealed,
            programVersion: ProgramVersion.current,
            on: loop
        )
    }

    /// Notes what the other machine can cause at any rate. Each text has a line of its own.
    private func report(_ text: String) {
        let subject = UInt32(truncatingIfNeeded: text.hashValue)
        let now = MonotonicClock.now() / 1_000_000
        if let line = reports.withLock({ $0.line(text, process: subject, at: now) }) { note(line) }
    }

    private func note(_ text: String) {
        StandardStreams.note("pasteboard: link: \(text)")
    }
}

/// The name of this machine.
enum MachineName {
    static var current: String {
        let name = (try? System.contents(of: "/proc/sys/kernel/hostname")).map { String(decoding: $0, as: UTF8.self) }
        return name?.split(separator: "\n").first.map(String.init) ?? "this machine"
    }
}
