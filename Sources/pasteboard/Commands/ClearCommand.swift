import PasteboardClient
import PasteboardWire

/// Empties a pasteboard.
struct ClearCommand: Command {
    static let syntax = CommandSyntax(
        "clear",
        "empties a pasteboard",
        options: [.board],
        notes: "Without a broker there is nothing to clear: that is no error, and none is started."
    )

    private let board: String

    init(_ arguments: ParsedArguments) throws {
        self.board = try arguments.board()
    }

    func run() throws -> CInt {
        var clear = Clear()
        clear.board = self.board
        _ = try Broker.running()?.clear(clear)
        return 0
    }
}
