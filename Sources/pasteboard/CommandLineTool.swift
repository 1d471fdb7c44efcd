import PasteboardWire

/// Finds the command that the arguments name, runs it, and turns what it throws into a line and an exit code.
enum CommandLineTool {
    static var commands: [any Command.Type] {
        [
            CopyCommand.self, OfferCommand.self, PasteCommand.self, TypesCommand.self, ClearCommand.self,
            DragCommand.self, DropCommand.self, ListCommand.self, StatusCommand.self, LimitsCommand.self,
            BrokerCommand.self, StopCommand.self,
            VersionCommand.self, DemoCommand.self,
        ]
    }

    /// Parts that this program plays when it starts itself: nobody has to read about them.
    private static var roles: [any Command.Type] {
        [DemoSourceCommand.self, DemoDestinationCommand.self]
    }

    static func run(_ arguments: [String]) -> CInt {
        let name = arguments.first ?? "--help"
        do {
            switch name {
            case "--help", "-h", "help":
                try self.help(arguments.dropFirst().first)
                // Without any argument it is an answer to a mistake.
                return arguments.isEmpty ? 2 : 0
            case "--version":
                return try self.run(VersionCommand.self, [])
            default:
                return try self.run(try self.command(named: name), Array(arguments.dropFirst()))
            }
        } catch {
            let failure = CommandFailure(error)
            failure.report(command: self.commands.first { $0.syntax.name == name }?.syntax.name)
            return failure.exitCode
        }
    }

    private static func run(_ command: any Command.Type, _ arguments: [String]) throws -> CInt {
        let parsed = try ParsedArguments(arguments, for: command.syntax)
        if parsed.has("--help") {
            try StandardStreams.print(command.syntax.help)
            return 0
        }
        return try command.init(parsed).run()
    }

    private static func command(named name: String) throws -> any Command.Type {
        guard let command = (self.commands + self.roles).first(where: { $0.syntax.name == name }) else {
            throw CommandFailure(usage: "there is no command '\(name)'; see pasteboard --help")
        }
        return command
    }

    private static func help(_ name: String?) throws {
        if let name { return try StandardStreams.print(try self.command(named: name).syntax.help) }
        let names = self.commands.map { ($0.syntax.name, $0.syntax.summary) }
        try StandardStreams.print(
            """
            usage: pasteboard COMMAND [OPTION ...]

            A pasteboard for processes: what one process copies or offers, another pastes.

            \(HelpTable.rows(names))

            'pasteboard COMMAND --help' tells more of each.

            Types are written as identifiers (public.png), MIME types (image/png), extensions (.png), or as the words
            text and image. Durations are 500ms, 2s, 5m, 1h or infinity; a bare number counts seconds.

            Exit codes: 0 done; 1 nothing there, or not as this type; 2 wrong usage, or bytes that a terminal should not
            get; 3 no broker; 4 a file or the disk here; 5 the other side went away, stalled or failed; 6 refused, or
            over a limit; 7 out of time; 8 cancelled by the other side; 9 the protocol was broken or its version does
            not fit; 130 and 141 by signal.

            """
        )
    }
}
