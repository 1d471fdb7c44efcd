import PasteboardClient
import PasteboardWire

/// Empties a pasteboard.
struct ClearCommand: Command {
    static let syntax = CommandSyntax(
        "clear",
        "empties a pasteboard",
        options: [.board, .primary, .ifChange, .timeout, .label, .json],
        examples: "pasteboard clear --board notes",
        exit: "0 if the pasteboard is empty; 6 if --if-change names another change count",
        notes: """
            Clearing an empty pasteboard is not an error. Without a broker every pasteboard is empty; a broker is
            started only if contents are on the disk. --json prints the change count afterwards, or null if no broker is
            running.
            """
    )

    private let board: String
    private let ifChangeCount: UInt64?

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        ifChangeCount = try arguments.changeCount()
    }

    func run(on loop: Loop) async throws -> CInt {
        let clear = Clear(board, ifChangeCount: ifChangeCount)
        var committed = Committed()
        if let brokers = try await Brokers.holding(on: loop) {
            committed = try await brokers.recovering(Recovery(.change)) { try await $0.clear(clear) }
        } else if ifChangeCount != nil {
            throw Failure.noChangeCount(of: board)
        }
        try StandardStreams.print("", json: committed.json(of: board))
        return 0
    }
}
