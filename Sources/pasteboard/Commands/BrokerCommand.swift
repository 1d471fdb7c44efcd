import BrokerLoop

/// Runs the broker in this process, as `pasteboardd` does.
struct BrokerCommand: Command {
    static let syntax = CommandSyntax(
        "broker",
        "runs the broker in the foreground",
        options: [
            .init("--socket", value: "PATH", "the socket to listen on, instead of the well-known one"),
            .init("--limit", value: "NAME=VALUE", "sets a limit; 'pasteboard limits' shows them; repeatable"),
            .init("--no-keeper", "runs the broker alone, and starts it no more after a crash"),
            .init("--replace", "makes the running broker's keeper start this program instead, and returns"),
            .init("--ready-fd", value: "N", "writes a byte to descriptor N when clients can connect"),
        ],
        broker: .started,
        examples: """
            pasteboard broker --limit kept-pool=1GiB
            pasteboard broker --replace                 # after an upgrade
            """,
        exit: "0 if it was stopped, or if --replace has started this program",
        notes: """
            Ends on SIGTERM, SIGINT, SIGHUP and 'pasteboard stop'. Limits are also read from the environment variable
            PASTEBOARD_LIMITS ('idle-exit=30s kept-pool=1MiB'), and from the file below, one 'NAME = VALUE' per line;
            --limit overrides the variable, and the variable the file. Commands that need a broker start one.

            The process that is started is the keeper: it holds the kept contents, and starts the broker again after a
            crash. With --replace, this program takes over the socket, the kept contents and the options of the running
            broker; loads that have begun finish at the old one. --limit NAME=VALUE overrides one limit, and
            NAME=default drops one.
            """
    )

    private var arguments: [String]

    init(_ arguments: ParsedArguments) throws {
        self.arguments = try ["--socket", "--limit", "--ready-fd"].flatMap { name in
            try arguments.values(name).flatMap { [name, $0] }
        }
        self.arguments += ["--no-keeper", "--replace"].filter { arguments.has($0) }
    }

    func run() -> CInt {
        BrokerDaemon.run(arguments: arguments, program: "pasteboard: broker")
    }
}
