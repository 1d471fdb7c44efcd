import BrokerLoop
import PasteboardClient

/// Runs the broker in this process, as `pasteboardd` does.
struct BrokerCommand: Command {
    static let syntax = CommandSyntax(
        "broker",
        "runs the broker in the foreground",
        options: [
            .init("--socket", value: "PATH", "the socket to listen on, instead of the well-known one"),
            .init("--limit", value: "NAME=VALUE", "sets a limit; 'pasteboard limits' shows them; repeatable"),
            .init("--replace", "takes the place of the running broker, with what it keeps"),
            .init("--log", value: "FILE", "also writes messages to this file"),
            .init("--ready-fd", value: "N", "writes a byte to descriptor N when clients can connect"),
        ],
        broker: .started,
        examples: """
            pasteboard broker --limit kept-pool=1GiB
            pasteboard broker --replace                 # after an upgrade
            """,
        exit: "0 if it was stopped, or another broker has taken its place",
        notes: """
            Ends on SIGTERM, SIGINT, SIGHUP and 'pasteboard stop'. Limits are also read from the environment variable
            PASTEBOARD_LIMITS ('idle-exit=30s kept-pool=1MiB'), and from the file below, one 'NAME = VALUE' per line;
            --limit overrides the variable, and the variable the file. Commands that need a broker start one.

            What is kept is a file in memory, which the next broker reads after a crash or a stop. With --replace, this
            program takes the place of the running broker, and no request fails; loads that have begun finish there.
            """
    )

    private var arguments: [String]

    init(_ arguments: ParsedArguments) throws {
        self.arguments = try ["--socket", "--limit", "--log", "--ready-fd"].flatMap { name in
            try arguments.values(name).flatMap { [name, $0] }
        }
        self.arguments += ["--replace"].filter { arguments.has($0) }
    }

    func run(on loop: Loop) -> CInt {
        BrokerDaemon.run(arguments: arguments, program: "pasteboard: broker")
    }
}
