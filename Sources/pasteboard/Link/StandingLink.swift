import BrokerLoop
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A link to another machine for as long as the command runs: it connects again after each loss.
final class StandingLink {
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
    private var hasBegun = false
    private var backoff = Backoff()
    private var reports = PeerLog()

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
        let signals = try SignalBox()
        while true {
            do {
                try connect(watching: signals)
            } catch let lost as Link.Lost {
                guard hasBegun, lost.loss != .stopped else { throw lost.failure }
                note("\(lost.failure.text); connecting again")
            } catch let failure as Failure where hasBegun {
                note("\(failure.text); connecting again")
            } catch let error as SystemError where hasBegun {
                note("\(error); connecting again")
            }
            // A time that stands still lets the delays grow until the next success, however long an attempt takes.
            let delay = backoff.delay(at: 0, random: .random(in: 0...1))
            _ = try System.poll([signals.interest], milliseconds: delay)
            try signals.check()
        }
    }

    /// Connects to both brokers, and passes contents on until one connection is lost.
    private func connect(watching signals: SignalBox) throws {
        let program = try LinkProgram(to: operand, via: via, silence: silence)
        if !hasBegun { note("connecting to \(machine)") }
        let far = program.connection(to: machine, own: own, passesConcealed: permits.concealed)
        defer {
            far.io.endWriting()
            program.stop()
        }
        far.io.timeouts.welcome = Self.greeting
        // A probe is sent so early that the machine can answer in time.
        far.io.timeouts.silence = silence / 3 * 2
        far.io.timeouts.probe = silence / 3
        try greet(far, .far, watching: signals, of: program)
        let near = try near()
        try greet(near, .near, watching: signals, of: program)
        guard near.io.state.welcome?.epoch != far.io.state.welcome?.epoch else {
            throw CommandFailure(usage: "\(machine) has the same broker as this program; name another machine")
        }
        // Programs bring back first what they had at a broker that has crashed.
        let settling = [near, far].compactMap { $0.io.state.welcome?.settlingMilliseconds }.max() ?? 0
        _ = try System.poll([signals.interest], milliseconds: Int(min(settling, WireLimits.settlingTime)))
        try signals.check()
        let link = try Link(near: near, far: far, boards: boards, from: sides, permits: permits) { self.report($0) }
        note(hasBegun ? "connected again" : "linked with \(machine): \(boards.joined(separator: ", "))")
        hasBegun = true
        let begin = MonotonicClock.now()
        defer { if MonotonicClock.now() - begin > Self.calm { backoff = Backoff() } }
        do {
            while true {
                let ready = try link.turn(watching: [signals.interest])
                if !ready[0].isEmpty { try signals.check() }
            }
        } catch let lost as Link.Lost {
            let explained = explain(lost, by: program)
            link.end(after: explained)
            throw explained
        }
    }

    private func greet(
        _ end: LinkConnection,
        _ side: Link.Side,
        watching signals: SignalBox,
        of program: LinkProgram
    ) throws {
        do {
            let extra = [signals.interest]
            while try end.greet(watching: extra) == false { try signals.check() }
        } catch let failure as Failure {
            let explained = side == .far ? program.explained(failure, over: end) : failure
            throw explain(Link.Lost(side, explained, end.io.loss(of: failure)), by: program)
        }
    }

    /// The loss with the machine, and with the end of the program as its reason.
    private func explain(_ lost: Link.Lost, by program: LinkProgram) -> Link.Lost {
        if lost.loss == .stopped {
            let name = lost.side == .near ? own : machine
            let text = "the broker on \(name) was stopped, and the link has ended: \(lost.failure.text)"
            return Link.Lost(lost.side, Failure(lost.failure.code, text), lost.loss)
        }
        guard lost.side == .far else { return lost }
        guard lost.loss == .crashed, let end = program.howItEnded() else { return lost }
        let advice = hasBegun ? "" : "; see 'pasteboard doctor --link \(operand)'"
        return Link.Lost(.far, Failure(.linkDown, "\(machine): \(end)\(advice)"), lost.loss)
    }

    private func near() throws(Failure) -> LinkConnection {
        let connector = try BrokerConnector()
        return LinkConnection(
            adopting: try connector.connect(),
            path: connector.socket.path,
            machine: own,
            label: "link to \(machine)",
            passesConcealed: permits.concealed,
            programVersion: ProgramVersion.current
        )
    }

    /// Notes what the other machine can cause at any rate. Each text has a line of its own.
    private func report(_ text: String) {
        let subject = UInt32(truncatingIfNeeded: text.hashValue)
        if let line = reports.line(text, process: subject, at: MonotonicClock.now() / 1_000_000) { note(line) }
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
