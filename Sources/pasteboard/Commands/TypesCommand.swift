import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// Lists the types on a pasteboard.
struct TypesCommand: Command {
    static let syntax = CommandSyntax(
        "types",
        "lists the types on a pasteboard, without loading bytes",
        options: [.board, .primary, .quiet, .timeout, .label, .json],
        examples: "pasteboard types --board notes",
        exit: "0 if there are contents; 1 if the pasteboard is empty",
        notes: """
            Prints one line for each type: the identifier (for a dynamic one, also the MIME type or extension that it
            represents), the size in bytes or '-', and the state: promised (made when it is pasted), kept (by the
            broker) or gone (with its source). If there are several items, the number of the item follows. The suggested
            name comes last.

            With --json, an empty pasteboard has an empty list of items. Without a broker every pasteboard is empty; a
            broker is started only if contents are on the disk.
            """
    )

    private let board: String

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
    }

    func run(on loop: Loop) async throws -> CInt {
        try await BoardListing.print(board, on: loop) { $0.typesText }
    }
}
