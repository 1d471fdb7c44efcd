import BrokerLoop
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Runs a command with a broker of its own.
struct RunCommand: Command {
    static let syntax = CommandSyntax(
        "run",
        "runs a command with pasteboards of its own",
        operands: "-- COMMAND [ARGUMENT ...]",
        options: [
            .init("--limit", value: "NAME=VALUE", "sets a limit of the broker, as for 'broker'; repeatable")
        ],
        broker: .started,
        examples: """
            pasteboard run -- make test
            pasteboard run -- sh -c 'echo hi | pasteboard copy; pasteboard paste'
            """,
        exit: """
            that of COMMAND; 128 plus the number of the signal that has ended it; 126 if it cannot be run; 127 if it \
            was not found; 3 if no broker can be started
            """,
        files: [("$TMPDIR/pasteboard-run-*/socket", "the socket of its broker")],
        notes: """
            Starts a broker at a socket in a new directory, which only you can enter, and runs COMMAND with
            PASTEBOARD_SOCKET set to the path of that socket. When COMMAND ends, the broker ends, its contents are lost,
            and the directory is removed. What COMMAND has left in the background keeps running, without a broker.
            Signals that are sent to 'run' are passed on to COMMAND, which has the standard streams and the terminal.

            If 'run' is killed, COMMAND keeps running, and the broker ends when no program has been connected for the
            time of the limit idle-exit, here 30s by default. Nothing is kept on the disk, unless --limit sets
            kept-on-disk.
            """
    )

    /// Signals that other processes send to end a program, or for its own purposes.
    private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH]

    private let command: [SystemString]
    private let limits: [String]

    init(_ arguments: ParsedArguments) throws {
        command = arguments.operands
        limits = try arguments.values("--limit")
        guard !command.isEmpty else {
            throw CommandFailure(usage: "there is no command to run; write pasteboard run -- COMMAND")
        }
        try BrokerDaemon.check(limits: limits)
    }

    func run(on loop: Loop) async throws -> CInt {
        let path = try ProgramPath.find(command[0])
        System.noticeChildren()
        let signals = try SignalBox(Self.forwarded)
        return try await PrivateBroker.running("run", limits: limits, on: loop) {
            guard let brokers = try await Brokers.present(on: loop) else {
                throw Failure(.brokerUnavailable, "no broker is running at \(try BrokerConnector().socket.path)")
            }
            // The broker, or one that replaces it, does not end for lack of connections meanwhile.
            let connected = Task(executorPreference: loop) {
                while !Task.isCancelled, let connection = try? await brokers.connection() { await connection.ended() }
            }
            defer { connected.cancel() }
            var configuration = ChildProcess.Configuration(path: path, arguments: Array(command.dropFirst()))
            configuration.input = .inherited
            configuration.inheritsDescriptors = true
            // If this process ignores them, for example because of nohup, so does the command.
            configuration.inheritedSignals = Self.forwarded + [SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU]
            // The command is in the process group of this process, so it has the terminal in the foreground.
            let (child, end) = try ProgramPath.start(configuration)
            while await loop.first(of: [PollInterest(end.raw, .readable), signals.interest]) == 1 {
                while let (signal, isFromKernel) = try signals.nextWithOrigin() {
                    // The keys of the terminal reach all processes in the foreground.
                    if !isFromKernel { try? child.kill(signal) }
                }
            }
            return try child.wait().exitCode
        }
    }
}
