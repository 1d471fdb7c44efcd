import PasteboardClient
import PasteboardWire

/// Shows the versions of this program and of the running broker.
struct VersionCommand: Command {
    static let syntax = CommandSyntax(
        "version",
        "shows the versions of this program and of the running broker",
        options: []
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        try StandardStreams.print("pasteboard \(ProgramVersion.current)\n")
        // The program's own version is printed even if the broker cannot be reached.
        guard let welcome = try? Broker.running()?.welcome() else { return 0 }
        let version = VisibleText.line(welcome.programVersion ?? "of an unknown version")
        let process = welcome.process.map { ", process \($0)" } ?? ""
        try StandardStreams.print("broker \(version), protocol \(welcome.version ?? 0)\(process)\n")
        return 0
    }
}
