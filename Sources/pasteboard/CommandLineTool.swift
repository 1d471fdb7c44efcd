import BrokerLoop
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Finds the command that the arguments name, runs it, and reports a thrown error as a message and an exit code.
///
/// Each command is a loop on the main thread. There is no asynchronous `main`: its end alone takes many times as long
/// as a command.
@main
enum CommandLineTool {
    static func main() {
        StandardStreams.occupyClosedOnes()
        System.ignoreFileSizeSignals()
        if let program = ShimProgram.started { exit(ShimRun.run(program)) }
        exit(isBroker ? BrokerDaemon.run(arguments: Array(CommandLine.arguments.dropFirst())) : run(System.arguments))
    }

    /// Whether this program is called by the name of the broker's.
    private static var isBroker: Bool {
        // Without generic code, whose metadata takes 190,000 instructions of each command.
        let name = CommandLine.arguments.first ?? ""
        return name == "pasteboardd" || name.hasSuffix("/pasteboardd")
    }

    /// The commands by what they are for, in the order of the help.
    static var groups: [CommandGroup] {
        [
            CommandGroup(
                title: "Copy and paste",
                commands: [
                    CopyCommand.self, OfferCommand.self, PasteCommand.self, TypesCommand.self, InfoCommand.self,
                    WatchCommand.self, ListCommand.self, ClearCommand.self, BoardCommand.self, DragCommand.self,
                    DropCommand.self,
                ]
            ),
            CommandGroup(
                title: "Broker",
                commands: [
                    RunCommand.self, DoctorCommand.self, StatusCommand.self, LimitsCommand.self, BrokerCommand.self,
                    StopCommand.self, VersionCommand.self, DemoCommand.self,
                ]
            ),
            CommandGroup(
                title: "Desktop and other machines",
                commands: [DesktopCommand.self, LinkCommand.self, LinksCommand.self, ConnectCommand.self]
            ),
            CommandGroup(
                title: "Install",
                commands: [
                    InstallCommand.self, UninstallCommand.self, CompletionsCommand.self, ManualCommand.self,
                    UnitsCommand.self,
                ]
            ),
        ]
    }

    static var commands: [any Command.Type] { groups.flatMap(\.commands) }

    /// Commands that this program runs when it starts itself. Help does not list them.
    private static var roles: [any Command.Type] {
        [
            DemoSourceCommand.self, BackgroundOfferCommand.self, WatchedPasteCommand.self, CompleteCommand.self,
        ]
    }

    static func run(_ arguments: [SystemString]) -> CInt {
        let name = arguments.first?.description ?? "--help"
        // The process of 'offer --background' reports its errors as the command that has started it.
        let shown = name == BackgroundOfferCommand.syntax.name ? OfferCommand.syntax.name : name
        Invocation.current.command = commands.first { $0.syntax.name == shown }?.syntax.name
        // Until the arguments are parsed, which may fail.
        Invocation.current.isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            try System.checkArguments()
            switch name {
            case "--help", "-h", "help":
                try help(arguments.dropFirst().first?.description)
                // Calling the program without arguments is an error.
                return arguments.isEmpty ? 2 : 0
            case "--version", "-V":
                return try run(VersionCommand.self, [])
            default:
                return try run(try command(named: name), Array(arguments.dropFirst()))
            }
        } catch {
            let failure = CommandFailure(error)
            lateEnd.withLock { if $0 != nil { $0 = (failure.exitCode, true) } }
            failure.report()
            return failure.exitCode
        }
    }

    /// The exit code with which the command is ended after its deadline, and whether it has begun to report its error;
    /// nil if it outlives the deadline.
    private static let lateEnd = Lock<(exitCode: CInt, isReported: Bool)?>(
        (CommandFailure.exitCode(of: .timeout), false)
    )

    /// Lets the command go on after its deadline: what it has begun must not be left half done.
    static func outliveDeadline() {
        lateEnd.withLock { $0 = nil }
        Invocation.current.deadline = .max
    }

    /// Ends the process if the deadline passes while the command waits in the kernel: for the writer or the reader of a
    /// pipe, or for a file system. Nobody may read its errors, either.
    private static func end() {
        lateEnd.withLock { late in
            guard let end = late, !end.isReported else { return }
            let ready = try? System.poll([PollInterest(2, .writable)], milliseconds: 0)
            if ready?[0].contains(.writable) == true {
                CommandFailure(Failure(.timeout, "the time allowed is over")).report()
            }
            _exit(end.exitCode)
        }
        // The command writes its own error.
        _ = try? System.poll([], milliseconds: 250)
        lateEnd.withLock { if let end = $0 { _exit(end.exitCode) } }
    }

    private static func run(_ command: any Command.Type, _ arguments: [SystemString]) throws -> CInt {
        let parsed = try ParsedArguments(arguments, for: command.syntax)
        if parsed.has("--help") {
            try StandardStreams.print(command.syntax.help)
            return 0
        }
        Invocation.current.isJSON = parsed.has("--json")
        Invocation.current.isQuiet = parsed.has("--quiet")
        if let label = try parsed.value("--label") { try ProgramLabel.set(label) }
        if let timeout = try parsed.value("--timeout") {
            Invocation.current.deadline = try TimeoutArgument(timeout).deadline
            try Invocation.current.watch { end() }
        }
        do {
            return try Loop.run { loop in
                limit(loop)
                return try await command.init(parsed).run(on: loop)
            }
        } catch {
            let code = error.asFailure?.code
            // Its deadline has interrupted it.
            if code == .cancelled { try Invocation.current.check() }
            guard Invocation.current.isQuiet, let code, CommandFailure.exitCode(of: code) == 1 else { throw error }
            return 1
        }
    }

    /// Interrupts the command at its deadline. The broker's own answer about the timeout of a load may arrive 50 ms
    /// later.
    private static func limit(_ loop: Loop) {
        let deadline = Invocation.current.deadline
        guard deadline < .max else { return }
        Task(executorPreference: loop) {
            await loop.sleep(until: deadline.addingClamped(100_000_000))
            if Invocation.current.deadline < .max { loop.interrupt() }
        }
    }

    static func command(named name: String) throws -> any Command.Type {
        guard let command = (commands + roles).first(where: { $0.syntax.name == name }) else {
            let suggestion = Suggestion(for: name, among: commands.map { $0.syntax.name } + ["--help", "--version"])
            let advice = suggestion.question ?? "see pasteboard --help"
            let what = name.hasPrefix("-") ? "unknown option" : "there is no command"
            throw CommandFailure(usage: "\(what) '\(name)'; \(advice)")
        }
        return command
    }

    private static func help(_ name: String?) throws {
        if let name { return try StandardStreams.print(try command(named: name).syntax.help) }
        let lists = groups.map { group in
            let rows = group.commands.map { (name: $0.syntax.name, meaning: $0.syntax.summary) }
            return "\(group.title):\n\(HelpText.rows(rows, narrowest: 15))"
        }
        try StandardStreams.print(
            """
            usage: pasteboard COMMAND [OPTION ...]

            Copy, paste, and drag and drop between processes.

            \(lists.joined(separator: "\n\n"))

            \(HelpText.paragraphs(introduction))

            \(HelpText.paragraphs(advice))

            """
        )
    }

    private static let advice = """
        'pasteboard COMMAND --help' explains a command. pasteboard(1) has the environment, the files and the exit codes;
        'pasteboard manual | man -l -' shows it, too.
        """

    static let introduction = """
        \(TypeArgument.help) A DURATION is 500ms, 2s, 1m30s, 1d or infinity; a number without a unit is in seconds.
        """

    static let examples = """
        echo hi | pasteboard copy
        pasteboard paste
        """

    static let environment = [
        ("PASTEBOARD_SOCKET", "the path of the broker's socket; a missing directory is created, but not its parent"),
        (
            "PASTEBOARD_AUTOSTART",
            "if it is 0, no command starts a broker; commands that need one end with 3 if none is running"
        ),
        ("PASTEBOARD_LIMITS", "limits of the broker that a command starts: 'idle-exit=30s kept-pool=1MiB'"),
        ("PASTEBOARD_BROKER", "the program that is started as the broker"),
        (
            ProgramLabel.variable,
            "the name of the program in lists and errors, instead of pasteboard; --label takes precedence"
        ),
        (
            "PASTEBOARD_DEBUG",
            "if it is frames, each command prints the frames that it sends and receives on standard error"
        ),
    ].map { (name: $0.0, meaning: $0.1) }

    static let exitCodes = [
        ("0", "done"),
        ("1", "the pasteboard is empty or has nothing of the requested type, or there is no such destination"),
        ("2", "wrong usage, or binary data for a terminal"),
        ("3", "no broker is running, or it cannot be reached"),
        ("4", "an error with a local file, directory or disk"),
        ("5", "the other program ended, stalled or failed"),
        ("6", "refused, or over a limit"),
        ("7", "timeout"),
        ("8", "cancelled by the other program"),
        ("9", "the other program violated the protocol, or uses an incompatible version of it"),
        ("126", "the command of watch or run cannot be run"),
        ("127", "the command of watch or run was not found"),
        ("129", "ended by a closed terminal (SIGHUP)"),
        ("130", "ended by Ctrl-C (SIGINT)"),
        ("141", "ended by a closed pipe (SIGPIPE)"),
        ("143", "ended by SIGTERM"),
    ].map { (name: $0.0, meaning: $0.1) }
}

/// Commands of one kind. A tuple would cost each command 40,000 instructions.
struct CommandGroup {
    let title: String
    let commands: [any Command.Type]
}

/// A command of the program, such as `copy`.
protocol Command: SendableMetatype {
    static var syntax: CommandSyntax { get }

    /// Checks what the parser cannot check: whether the options can be combined, and the meaning of their values.
    init(_ arguments: ParsedArguments) throws

    /// Returns the exit code.
    func run(on loop: Loop) async throws -> CInt
}
