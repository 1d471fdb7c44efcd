import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Runs a program and prints the frames between it and the broker.
struct TraceCommand: Command {
    static let syntax = CommandSyntax(
        "trace",
        "runs a program, and prints the frames between it and the broker",
        operands: "[--] COMMAND [ARGUMENT ...]",
        options: [
            CommandSyntax.Option(
                "--output",
                short: "-o",
                value: "FILE",
                "prints the frames to a file instead of standard error"
            )
        ],
        notes: """
            Write -- before a COMMAND that has options. It runs with PASTEBOARD_SOCKET set to a socket of its own, whose \
            connections are forwarded to the broker unchanged. A broker is started if none is running. \
            Any program that follows the protocol can be traced.

            Each line shows the time as WAYLAND_DEBUG does (milliseconds and microseconds of the wall clock, modulo 2^32 \
            microseconds), the number of the connection, the direction (-> to the broker), the kind of the frame, its stream, its \
            fields and the number of descriptors. Contents and the tokens of groups are never shown; names, titles and paths are.

            The broker sees this process instead of the COMMAND: in its status, and where it counts what a process has. All \
            connections of one trace belong to the same process for it.

            The COMMAND waits while nobody reads the lines and the pipe that they are written to is full.

            'trace' ends when the COMMAND and all connections have ended, also those of processes that it leaves behind. The \
            exit code is that of the COMMAND, or 128 and the number of the signal that ended it; 126 if it cannot be run, \
            127 if it is not found. Signals that are sent to 'trace' are sent on to the COMMAND, except those that 'trace' \
            was started to ignore, as by nohup; the COMMAND ignores them, too.

             pasteboard trace -- pasteboard paste -t text
             pasteboard trace -o frames -- python3 program.py
            """
    )

    private let command: SystemString
    private let arguments: [SystemString]
    private let output: SystemString?

    init(_ arguments: ParsedArguments) throws {
        guard let command = arguments.operands.first else {
            throw CommandFailure(usage: "there is no command to trace; write pasteboard trace -- COMMAND")
        }
        self.command = command
        self.arguments = Array(arguments.operands.dropFirst())
        output = try arguments.path("--output")
    }

    func run() throws -> CInt {
        let handled = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]
        let ignored = (handled + [SIGPIPE]).filter(System.ignores)
        // The reader of the lines may end before the COMMAND does.
        System.ignoreBrokenPipes()
        let program = try ProgramPath.find(command)
        let output = try self.output.map { try TraceOutput(path: $0) } ?? TraceOutput()
        // The broker is started now, so that a failure is reported before the program runs.
        _ = try Broker.startingOne()
        // Before any thread starts.
        let signals = try SignalBox(handled)
        let loop = try TraceLoop(output: output, connector: try BrokerConnector(), signals: signals)
        return try loop.run(try TracedProgram(program, arguments, socket: loop.socket, ignoring: ignored))
    }
}
