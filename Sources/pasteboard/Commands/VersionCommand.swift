import PasteboardClient
import PasteboardWire

/// Which versions meet here.
struct VersionCommand: Command {
    static let syntax = CommandSyntax(
        "version",
        "shows the versions of this program and of the running broker",
        options: []
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        try StandardStreams.print("pasteboard \(ProgramVersion.current)\n")
        // A broker that cannot be asked is no reason not to tell the program's own.
        guard let welcome = try? Broker.running()?.welcome() else { return 0 }
        let version = VisibleText.line(welcome.programVersion ?? "of an unknown version")
        let process = welcome.process.map { ", process \($0)" } ?? ""
        try StandardStreams.print("broker \(version), protocol \(welcome.version ?? 0)\(process)\n")
        return 0
    }
}
