import PasteboardClient

/// Ends the broker.
struct StopCommand: Command {
    static let syntax = CommandSyntax(
        "stop",
        "ends the broker",
        options: [],
        notes: """
            The contents in memory are lost. Running loads may finish within the limit 'drain'. The command returns when the
            broker no longer accepts connections, so the next broker can start. Ends with 3 if no broker is running.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        try Broker.required(hint: "").stop()
        return 0
    }
}
