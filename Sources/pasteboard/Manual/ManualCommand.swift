import PasteboardClient
import PasteboardTransport

/// Prints manual pages.
struct ManualCommand: Command {
    static let syntax = CommandSyntax(
        "manual",
        "prints a manual page, or writes all of them",
        operands: "[COMMAND]",
        options: [.init("--all", value: "DIR", "writes all pages into a directory, for a package")],
        broker: .none,
        examples: """
            pasteboard manual copy | man -l -
            pasteboard manual --all root/usr/share/man/man1
            """,
        files: [("PREFIX/share/man/man1", "where 'install' writes the pages")],
        notes: "Prints the page of a command, or that of the program, in the language mdoc."
    )

    private let page: ManualPage
    private let directory: SystemString?

    init(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands.map(\.description)
        directory = try arguments.path("--all")
        guard operands.count <= (directory == nil ? 1 : 0) else {
            throw CommandFailure(usage: "write pasteboard manual [COMMAND], or pasteboard manual --all DIR")
        }
        page = try operands.first.map { ManualPage(of: try CommandLineTool.command(named: $0).syntax) } ?? .program
    }

    func run(on loop: Loop) async throws -> CInt {
        guard let directory else {
            try StandardStreams.print(page.text)
            return 0
        }
        try Installation.makeDirectories(directory.description)
        for page in ManualPage.all {
            let name = SystemString("\(page.name).1")
            let file = try PendingFile(inDirectory: directory)
            try file.write(Array(page.text.utf8).span, for: name)
            try file.keep(as: name)
        }
        return 0
    }
}
