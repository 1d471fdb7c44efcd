import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Shows the versions of this program and of the running broker.
struct VersionCommand: Command {
    static let syntax = CommandSyntax(
        "version",
        "shows the versions of this program and of the running broker",
        options: [],
        notes: "Waits for the answer of the broker for a second at most. No broker is started."
    )

    /// The time that a broker has for its answer, in milliseconds.
    private static let timeout = 1_000

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        try StandardStreams.print("pasteboard \(ProgramVersion.current)\n")
        let deadline = MonotonicClock.deadline(milliseconds: Self.timeout)
        let welcome: Welcome
        do {
            guard let running = try Broker.running(until: deadline) else { return 0 }
            welcome = try running.welcome(until: deadline)
        } catch let failure as Failure {
            // The program's own version is all that many callers want, so this is no error.
            if failure.code == .timeout { StandardStreams.note("pasteboard: version: \(failure.text)") }
            return 0
        }
        let version = VisibleText.line(welcome.programVersion ?? "of an unknown version")
        let process = welcome.process.map { ", process \($0)" } ?? ""
        try StandardStreams.print("broker \(version), protocol \(welcome.version ?? 0)\(process)\n")
        return 0
    }
}
