import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Shows the limits of the running broker.
struct LimitsCommand: Command {
    static let syntax = CommandSyntax(
        "limits",
        "shows the limits of the running broker, with their meaning",
        options: [.timeout, .label, .json],
        examples: "pasteboard limits",
        files: [("~/.config/pasteboard/config", "the limits, one 'NAME = VALUE' per line")],
        notes: """
            Limits are set by 'pasteboard broker --limit NAME=VALUE', in the environment variable PASTEBOARD_LIMITS
            ('NAME=VALUE NAME=VALUE'), or in the file below, except those that are fixed by the protocol. No program can
            use up what all share: it gets about half if no other program needs some. --json prints the exact numbers,
            in bytes and milliseconds. No broker is started.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        let limits = try await Brokers.required(on: loop).recovering { try await $0.status().compactMap(\.limit) }
        try StandardStreams.print(limits.map(\.limitRow), width: System.terminalColumns(1))
        return 0
    }
}
