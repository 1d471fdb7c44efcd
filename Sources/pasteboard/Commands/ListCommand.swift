import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Lists the pasteboards.
struct ListCommand: Command {
    static let syntax = CommandSyntax(
        "list",
        "lists the pasteboards",
        options: [.timeout, .label, .json],
        examples: "pasteboard list",
        notes: """
            Prints one line for each pasteboard that is not empty: its name, the number of items, the kept bytes ('-' if
            they are sensitive), the program that wrote them, the types of the first item, and the flags and lifetime,
            if any. On a terminal the first 40 characters of a text that the broker keeps come last, unless it is
            sensitive or can be pasted a limited number of times. Without a broker every pasteboard is empty; a broker
            is started only if contents are on the disk.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        let hasPreviews = !Invocation.current.isJSON && System.isTerminal(1)
        var rows: [ReportRow] = []
        if let brokers = try await Brokers.holding(on: loop) {
            try await brokers.recovering { connection in
                rows = []
                for board in try await connection.status().compactMap(\.board) {
                    var row = board.row(connection.welcome.epoch)
                    if hasPreviews { row.cells.append(try await TextPreview(of: board.name, over: connection).text) }
                    rows.append(row)
                }
            }
        }
        try StandardStreams.print(rows)
        return 0
    }
}
