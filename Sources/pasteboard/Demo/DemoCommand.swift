import Glibc
import PasteboardTransport
import PasteboardWire

/// The main job in one command: a private broker, a source process and a destination process, told step by step.
///
/// This process starts the three and directs them: each step waits for the line that the process concerned prints, so
/// the order of the lines is the order of what happened.
struct DemoCommand: Command {
    static let syntax = CommandSyntax(
        "demo",
        "shows a promise, a load and a dead source between real processes",
        options: [],
        notes: "It starts a broker of its own in a temporary directory: your pasteboards are not touched."
    )

    init(_ arguments: ParsedArguments) {}

    func run() throws -> CInt {
        let stage = try DemoStage()
        let broker = try stage.start("broker")
        try self.say("broker", "process \(broker.process.id) listens at \(stage.socket)")

        let source = try stage.start("demo-source")
        try self.say("source", try source.line())

        let destination = try stage.start("demo-destination")
        for _ in 0..<2 { try self.say("destination", try destination.line()) }
        try self.say("source", "nobody has asked: the handler has run \(source.hasLine ? "already" : "0 times")")

        try destination.command("load")
        try self.say("destination", try destination.line())
        try self.say("source", try source.line())
        try self.say("destination", try destination.line())

        try source.process.kill(SIGKILL)
        _ = try source.process.wait()
        try self.say("source", "killed with SIGKILL")
        try destination.command("load")
        try self.say("destination", try destination.line())
        let failure = try destination.line()
        try self.say("destination", failure)
        return failure.hasPrefix("failed") ? 0 : 5
    }

    private func say(_ who: String, _ what: String) throws {
        let padding = String(repeating: " ", count: max(0, 11 - who.count))
        try StandardStreams.print("\(padding)\(who)  \(what)\n")
    }
}
