import PasteboardClient

/// Ends the broker.
struct StopCommand: Command {
    static let syntax = CommandSyntax(
        "stop",
        "ends the broker",
        options: [],
        notes: """
            What it keeps is lost; loads that run may finish within its limit 'drain'. Returns when it accepts no more
            connections, so that the next one can start. Ends with 3 if no broker runs.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        try Broker.required().stop()
        return 0
    }
}
