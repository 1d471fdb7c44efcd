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
            } else if arguments.contains("--help") || arguments.contains("-h") {
                try print(BenchOptions.usage)
            } else {
                try run(try BenchOptions(arguments))
            }
        } catch {
            fail(error)
        }
    }

    /// Runs the cases one after the other, and prints each result at once.
    private static func run(_ options: BenchOptions) throws {
        let stage = try Stage(options)
        defer { stage.close() }
        let all = BenchCase.loads(stage) + BenchCase.commands(options.peers, stage) + BenchCase.brokers(stage)
        let cases = all.filter { one in
            options.words.isEmpty || options.words.contains { "\(one.name): \(one.subject)".contains($0) }
        }
        var results: [CaseResult] = []
        if !options.printsJSON { try print(CaseResult.heading) }
        for benchCase in cases {
            let result = benchCase.run(rounds: options.rounds)
            // Whether the run was interrupted.
            try stage.wait(milliseconds: 0)
            results.append(result)
            if !options.printsJSON { try print(result.rows) }
        }
        if options.printsJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try print(String(decoding: try encoder.encode(["cases": results]), as: UTF8.self) + "\n")
        }
        guard results.allSatisfy({ $0.failure == nil }) else { throw BenchError("a case failed") }
    }

    private static func print(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: 1)
    }

    static func fail(_ error: any Error) -> Never {
        try? System.write(Array("pasteboard-bench: \(error)\n".utf8).span, to: 2)
        exit(1)
    }
}
