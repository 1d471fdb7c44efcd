import FoundationEssentials
import Glibc
import PasteboardTransport

/// Compares the project with programs in C that move the same bytes and do not interpret them.
@main
enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == "role" {
                try Role.play(Array(arguments.dropFirst()))
            } else {
                try run(try BenchOptions(arguments))
            }
        } catch {
            fail(error)
        }
    }

    /// Runs the cases one after the other, and prints each result at once.
    private static func run(_ options: BenchOptions) throws {
        if options.showsHelp { return try print(BenchOptions.usage) }
        let stage = try Stage(options)
        defer { stage.close() }
        let others: [BenchCase] = [.memory(stage), .sourceDeath(stage), .brokerDeath(stage)]
        let all = BenchCase.loads(stage) + BenchCase.commands(stage) + BenchCase.starts(stage) + others
        let cases = all.filter { options.includes("\($0.name): \($0.subject)") }
        let missing = try missingPeers(of: cases, on: stage)
        var results: [CaseResult] = []
        if !options.printsJSON { try print(CaseResult.heading) }
        for benchCase in cases {
            let result =
                if let reason = missing[benchCase.subject] {
                    CaseResult(name: benchCase.name, subject: benchCase.subject, skipped: reason)
                } else {
                    try benchCase.run(rounds: options.rounds)
                }
            stage.endClipboards()
            results.append(result)
            if !options.printsJSON { try print(result.rows) }
        }
        if options.printsJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try print(String(decoding: try encoder.encode(["cases": results]), as: UTF8.self) + "\n")
        }
    }

    /// Uses each other program once. Returns those that do not work on this machine, with the reasons.
    private static func missingPeers(of cases: [BenchCase], on stage: Stage) throws -> [String: String] {
        var missing: [String: String] = [:]
        for name in Clipboard.peers + [Server.dbus.rawValue] where cases.contains(where: { $0.subject == name }) {
            do {
                if let server = Server(rawValue: name) {
                    _ = try BenchCase.measureStart(server, stage)
                } else {
                    _ = try stage.clipboard(name)
                }
            } catch {
                // The reason may be that the run was interrupted.
                try stage.wait(milliseconds: 0)
                missing[name] = "\(error)"
            }
            stage.endClipboards()
        }
        return missing
    }

    private static func print(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: 1)
    }

    static func fail(_ error: any Error) -> Never {
        try? System.write(Array("pasteboard-bench: \(error)\n".utf8).span, to: 2)
        exit(1)
    }
}
