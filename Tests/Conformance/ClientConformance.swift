import Glibc
import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// Runs a client for each exchange, with a scripted broker at a socket of its own.
struct ClientConformance {
    /// After so many runs that had to be ended the client is not run again.
    private static let maximumHangs = 3
    /// The exit code of a client that does not support the verb.
    private static let unsupported: CInt = 77

    let command: String
    /// The time for each run.
    let milliseconds: Int
    /// The selected rules.
    let rules: [String]

    /// - Parameter signals: end the test.
    func report(_ signals: borrowing SignalDescriptor) throws -> RuleReport {
        var report = RuleReport(rules)
        var hangs = 0
        for vector in try ExchangeFile.client() where !Set(rules).isDisjoint(with: vector.rules) {
            guard let verb = vector.verb.flatMap(ClientVerb.init) else { continue }
            guard hangs < Self.maximumHangs else {
                report.omit(vector.rules, "the client did not end \(Self.maximumHangs) times")
                continue
            }
            let run = try ClientRun(command: "\(command) \(verb.rawValue)", vector, milliseconds: milliseconds)
            let end = try run.wait(orUntil: signals)
            if end == nil { hangs += 1 }
            let broken = run.broken
            for fault in broken { report.fail(vector, fault.rule, fault.text) }
            report.pass(run.judged.subtracting(broken.map(\.rule)))
            guard end?.status != Self.unsupported else {
                report.omit(vector.rules, "the client does not support \(verb.rawValue)")
                continue
            }
            if let text = run.fault(end) {
                report.fail(vector, text, transcript: run.transcript)
            } else {
                report.pass(vector.rules)
            }
        }
        return report
    }
}

/// One run of a client.
private final class ClientRun {
    private let vector: Vector
    private let milliseconds: Int
    /// A directory for the socket.
    private let place: String
    private var listener: ListeningSocket
    private let child: ChildProcess
    private let output: OwnedDescriptor
    private var connections: [ScriptedBroker] = []
    private var script: ClientScript
    private var written: [UInt8] = []

    /// Starts the client.
    init(command: String, _ vector: Vector, milliseconds: Int) throws {
        self.vector = vector
        self.milliseconds = milliseconds
        script = ClientScript(vector)
        let random = try System.randomBytes(6).map { String($0, radix: 16) }.joined()
        place = "\(System.temporaryDirectory)/pasteboard-conformance-\(random)"
        try System.makeDirectory(place)
        let path = "\(place)/socket"
        listener = try ListeningSocket(path: path)
        let others = System.environment().filter { !$0.hasPrefix("PASTEBOARD_") }
        var configuration = ChildProcess.Configuration(
            path: "/bin/sh",
            arguments: ["-c", command],
            environment: others + ["PASTEBOARD_SOCKET=\(path)", "PASTEBOARD_AUTOSTART=0"]
        )
        let input = try System.pipe()
        // A pipe takes the few bytes of a vector at once.
        try System.write(vector.input.span, to: input.second.raw)
        let pipe = try System.pipe()
        configuration.input = .descriptor(input.first.raw)
        configuration.output = .descriptor(pipe.second.raw)
        configuration.inNewGroup = true
        child = try ChildProcess(configuration)
        output = pipe.keepingFirst()
    }

    deinit {
        try? System.unlink("\(place)/socket")
        try? System.removeDirectory(place)
    }

    /// The rules that frames of the client have broken.
    var broken: [(rule: String, text: String)] { connections.flatMap(\.broken) }

    /// The frames of all connections, one a line.
    var transcript: [String] { connections.flatMap(\.transcript) }

    /// The rules that its frames could have broken.
    var judged: Set<String> { connections.reduce(into: []) { $0.formUnion($1.audit.judged) } }

    /// Serves the client until it has ended; nil if it had to be ended. Throws after a signal.
    func wait(orUntil signals: borrowing SignalDescriptor) throws -> ProcessEnd? {
        do {
            if try serve(signals) { return try child.wait() }
        } catch {
            end()
            throw error
        }
        end()
        return nil
    }

    /// Ends the client, and others in its group, which it may have started.
    private func end() {
        try? child.killGroup(SIGKILL)
        _ = try? child.wait()
    }

    /// Returns whether the client has ended before the deadline. What it sent before has then been handled.
    private func serve(_ signals: borrowing SignalDescriptor) throws -> Bool {
        let deadline = MonotonicClock.deadline(milliseconds: milliseconds)
        let process = try System.processDescriptor(child.id)
        var hasEnded = false
        var isOutputAtEnd = false
        while MonotonicClock.now() < deadline {
            let open = connections.indices.compactMap { index in
                connections[index].socket.flatMap { $0.hasEnded ? nil : (index: index, descriptor: $0.raw) }
            }
            let descriptors = [
                signals.raw, hasEnded ? -1 : process.raw, listener.raw, isOutputAtEnd ? -1 : output.raw,
            ]
            let ready = try System.poll(
                (descriptors + open.map(\.descriptor)).map { PollInterest($0, .readable) },
                milliseconds: hasEnded ? 0 : Int(MonotonicClock.millisecondsLeft(until: deadline))
            )
            if let signal = try signals.next() {
                throw ConformanceError(exitCode: 128 + signal, text: "ended by signal \(signal)")
            }
            if hasEnded, ready.allSatisfy(\.isEmpty) { return true }
            if !ready[1].isEmpty { hasEnded = true }
            if !ready[2].isEmpty, case .connection(let socket) = try listener.accept() {
                // The end of a connection ends the exchange.
                let isEnding = connections.contains { $0.socket == nil }
                connections.append(ScriptedBroker(FrameSocket(socket), isEnding: isEnding))
            }
            if !ready[3].isEmpty {
                let bytes = try System.read(output.raw, upTo: 1 << 16)
                // At its end, the output stays readable.
                isOutputAtEnd = bytes.isEmpty
                written += bytes
            }
            for (connection, readiness) in zip(open, ready.dropFirst(4)) where !readiness.isEmpty {
                connections[connection.index].receive(&script, deadline: deadline)
            }
        }
        return hasEnded
    }

    /// The difference between the run and its vector.
    func fault(_ end: ProcessEnd?) -> String? {
        guard let end else { return "the client did not end within \(milliseconds) ms" }
        if connections.isEmpty { return "the client did not connect, and ended with \(end.status)" }
        if end.isAbnormal { return "the client did not end by itself, or could not be run: status \(end.status)" }
        if let missing = script.missing {
            return "expected \(missing), which did not come; the client ended with \(end.status)"
        }
        if vector.outcome == .failed {
            return end.status == 0 ? "the client ended with 0 although the exchange has failed" : nil
        }
        guard end.status == 0 else { return "expected success; the client ended with \(end.status)" }
        guard case .done(let bytes) = vector.outcome, vector.verb == "paste", written != bytes else { return nil }
        return "expected \(bytes.count) bytes of output, got \(written.count) bytes or other ones"
    }
}

extension ProcessEnd {
    /// The exit code, as a shell shows it.
    fileprivate var status: CInt {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }

    /// Whether a program could not be run, or was ended by a signal, also as a shell shows these.
    fileprivate var isAbnormal: Bool { (126...192).contains(status) }
}

/// An action that a tested client is run for.
enum ClientVerb: String {
    case paste
    case copy
    case offer
}
