import PasteboardClient
import PasteboardWire

/// Empties a pasteboard.
struct ClearCommand: Command {
    static let syntax = CommandSyntax(
        "clear",
        "empties a pasteboard",
        options: [.board, .primary],
        notes: "Clearing an empty pasteboard is not an error. No broker is started."
    )

    private let board: String

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
    }

    func run() throws -> CInt {
        var clear = Clear()
        clear.board = board
        _ = try Broker.running()?.clear(clear)
        return 0
    }
}
