import PasteboardClient
import PasteboardWire

/// Shows the limits of the running broker.
struct LimitsCommand: Command {
    static let syntax = CommandSyntax(
        "limits",
        "shows the limits of the running broker, with their meaning",
        options: [.json],
        notes: """
            Limits are set by 'pasteboard broker --limit NAME=VALUE' or in $XDG_CONFIG_HOME/pasteboard/config, except
            those that are fixed by the protocol. No program can use up connections, boards, kept-pool,
            kept-representations, sessions, destinations, objects or metadata: it gets a share, about half of each if
            no other program needs some. Ends with 3 if no broker is running; none is started.
            """
    )

    private let isJSON: Bool

    init(_ arguments: ParsedArguments) {
        isJSON = arguments.has("--json")
    }

    func run() throws -> CInt {
        let limits = try Broker.required().status().compactMap(\.limit)
        if isJSON {
            let json = limits.map { limit -> JSONValue in
                [
                    "name": .string(limit.name), "value": JSONValue(limit.value),
                    "meaning": JSONValue(limit.note),
                ]
            }
            try StandardStreams.print(JSONValue.array(json).line)
        } else {
            try StandardStreams.print(TextTable.text(limits.map { [$0.name, String($0.value ?? 0), $0.note ?? ""] }))
        }
        return 0
    }
}
