import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// Shows all that is known about the contents of a pasteboard, without loading bytes.
struct InfoCommand: Command {
    static let syntax = CommandSyntax(
        "info",
        "shows owner, age, flags and types, without loading bytes",
        options: [.board, .primary, .quiet, .timeout, .label, .json],
        examples: "pasteboard info --board notes",
        exit: "0 if there are contents; 1 if the pasteboard is empty",
        notes: """
            Prints the change count, the program that wrote the contents, their age, their flags and lifetime, and below
            them one line for each type, as 'pasteboard types' does. Sizes of sensitive contents are not shown.

            With --json, an empty pasteboard has its change count, too. Without a broker every pasteboard is empty; a
            broker is started only if contents are on the disk.
            """
    )

    private let board: String

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
    }

    func run(on loop: Loop) async throws -> CInt {
        try await BoardListing.print(board, on: loop, text: text)
    }

    private func text(_ listing: BoardListing) -> String {
        let contents = listing.contents
        var rows = [
            ["pasteboard", board],
            ["change count", String(contents.changeCount ?? 0)],
            ["owner", TextTable.program(contents.ownerLabel, contents.ownerProcess)],
            ["items", String(listing.items.count)],
        ]
        if let title = listing.items.first?.title { rows.append(["title", title]) }
        if let milliseconds = contents.milliseconds {
            rows.append(["age", TimeSpan.text(seconds: milliseconds / 1000)])
        }
        if let words = contents.terms?.words, !words.isEmpty { rows.append(["contents", words]) }
        return TextTable.text(rows) + "\n" + listing.typesText
    }
}
