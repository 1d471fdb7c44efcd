import Glibc
import PasteboardTransport
import PasteboardWire

/// Demonstrates a promise and its load: a private broker, a source process and a destination process.
///
/// This process starts the three and directs them: each step waits for the line that the process concerned prints, so
/// the order of the lines is the order of what happened.
struct DemoCommand: Command {
    static let syntax = CommandSyntax(
        "demo",
        "shows a promise, a load and a dead source between real processes",
        options: [],
        notes: """
            Starts three processes: a broker in a temporary directory, a source and a destination. Your pasteboards are
            not changed. The demo takes less than a second.
            """
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        let stage = try DemoStage()
        let broker = try stage.start("broker")
        try say("broker", "process \(broker.process.id) listens for programs")

        let source = try stage.start("demo-source")
        try say("source", try source.line())

        let destination = try stage.start("demo-destination")
        try say("destination", try destination.line())
        let made = source.hasLine ? "but it was produced" : "so it was not produced"
        try say("source", "no program has requested the text yet, \(made)")

        try destination.command("load")
        try say("destination", try destination.line())
        try say("source", try source.line())
        try say("destination", try destination.line())

        try source.process.kill(SIGKILL)
        _ = try source.process.wait()
        try say("source", "process \(source.process.id) was killed")
        try destination.command("load")
        try say("destination", try destination.line())
        let failure = try destination.line()
        try say("destination", failure)
        return failure.hasPrefix("received an error") ? 0 : 5
    }

    private func say(_ who: String, _ what: String) throws {
        let padding = String(repeating: " ", count: max(0, 11 - who.count))
        let lines = HelpText.lines(
            of: what.split(separator: " "),
            first: "\(padding)\(who)  ",
            next: String(repeating: " ", count: 13),
            width: System.terminalColumns(1) ?? .max
        )
        try StandardStreams.print(lines.joined(separator: "\n") + "\n")
    }
}
