import BrokerLoop

/// Runs the broker in this process, as `pasteboardd` does.
struct BrokerCommand: Command {
    static let syntax = CommandSyntax(
        "broker",
        "runs the broker in the foreground",
        options: [
            .init("--socket", value: "PATH", "the socket to listen on, instead of the well-known one"),
            .init("--limit", value: "NAME=VALUE", "sets a limit; 'pasteboard limits' shows them; may be repeated"),
            .init("--no-keeper", "runs the broker alone, without a process that starts it again after a crash"),
            .init("--replace", "makes the running broker's keeper start this program instead, and returns"),
            .init("--ready-fd", value: "N", "writes a byte to descriptor N when clients can connect"),
        ],
        notes: """
            Ends on SIGTERM, SIGINT, SIGHUP and 'pasteboard stop'. Limits are also read from the environment variable
            PASTEBOARD_LIMITS ('idle-exit=30s kept-pool=1MiB'), and from $XDG_CONFIG_HOME/pasteboard/config, one 'NAME =
            VALUE' per line; --limit overrides the variable, and the variable the file. A size is written as 65536,
            64KiB or 1.5 MiB (in the variable without the space), a time with its unit as 500ms, 1m30s or 1d.
            Commands that need a broker start one automatically, unless PASTEBOARD_AUTOSTART is 0.

            The process that is started is the keeper: it holds the kept contents, and starts the broker again after a
            crash. With --replace, this program takes over the socket and the kept contents of the running broker; loads
            that have begun finish at the old broker. The new broker has the options of the old one, which take
            precedence over the configuration file. --limit NAME=VALUE overrides one limit, and NAME=default drops one.
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
