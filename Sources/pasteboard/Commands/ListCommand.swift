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
        var epoch: UInt64?
        var boards: [(BoardStatus, [String])] = []
        if let brokers = try await Brokers.holding(on: loop) {
            try await brokers.recovering { connection in
                epoch = connection.welcome.epoch
                boards = []
                for board in try await connection.status().compactMap(\.board) {
                    boards.append(
                        (board, hasPreviews ? [try await TextPreview(of: board.name, over: connection).text] : [])
                    )
                }
            }
        }
        try StandardStreams.print(
            TextTable.text(boards.map { $0.0.row + $0.1 }),
            json: .array(boards.map { $0.0.json(epoch) })
        )
        return 0
    }
}

extension BoardStatus {
    var row: [String] {
        let count = itemCount ?? 0
        return [
            name, count.counted("item"), keptBytes.map { "\(ByteCount.text($0)) kept" } ?? "-",
            count > 0 ? TextTable.program(ownerLabel, ownerProcess) : "",
            types.map(UniformType.readable).joined(separator: " "), terms?.words ?? "",
        ]
    }

    func json(_ epoch: UInt64?) -> JSONValue {
        [
            "board": .string(name),
            "changeCount": JSONValue(changeCount),
            "epoch": JSONValue(epoch.map { String($0) }),
            "items": JSONValue(itemCount ?? 0),
            "keptBytes": JSONValue(keptBytes),
            "owner": ["process": JSONValue(ownerProcess), "label": JSONValue(ownerLabel)],
            "types": .array(types.map { .string($0) }),
            "title": JSONValue(title),
            "milliseconds": JSONValue(milliseconds),
            "terms": terms?.json ?? .null,
        ]
    }
}
