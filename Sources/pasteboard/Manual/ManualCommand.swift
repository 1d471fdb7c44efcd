import PasteboardTransport

/// Prints manual pages.
struct ManualCommand: Command {
    static let syntax = CommandSyntax(
        "manual",
        "prints a manual page, for packages of this program",
        operands: "[COMMAND]",
        options: [],
        broker: .none,
        examples: "pasteboard manual copy | man -l -",
        files: [("PREFIX/share/man/man1", "where 'install' writes the pages")],
        notes: """
            Prints the page of a command, or that of the program, in the language mdoc. 'pasteboard install' writes all
            pages into PREFIX/share/man/man1. To read one without them:

              pasteboard manual copy | man -l -
            """
    )

    private let page: ManualPage

    init(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands.map(\.description)
        guard operands.count <= 1 else {
            throw CommandFailure(usage: "write pasteboard manual, or pasteboard manual COMMAND")
        }
        page = try operands.first.map { ManualPage(of: try CommandLineTool.command(named: $0).syntax) } ?? .program
    }

    func run() throws -> CInt {
        try StandardStreams.print(page.text)
        return 0
    }
}
