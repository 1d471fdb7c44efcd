import PasteboardTransport

/// Runs the cases one after the other, and prints each result at once.
struct Benchmark {
    let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    func run() throws {
        if options.showsHelp { return try Self.print(BenchOptions.usage) }
        let stage = try Stage(options)
        defer { stage.close() }
        var results: [CaseResult] = []
        if !options.printsJSON { try Self.print(CaseResult.heading) }
        for benchCase in self.cases where options.includes("\(benchCase.name): \(benchCase.subject)") {
            let measured: [CaseResult]
            do {
                measured = try benchCase.run(on: stage)
            } catch let skip as Skip {
                let outcome = CaseResult.Outcome.skipped(skip.reason)
                measured = [CaseResult(name: benchCase.name, subject: benchCase.subject, outcome: outcome)]
            }
            results += measured
            if !options.printsJSON { try Self.print(measured.map(\.rows).joined()) }
        }
        if options.printsJSON {
            let cases = results.map(\.json).joined(separator: ",\n")
            let settings = "\"rounds\":\(options.rounds),\"pinned\":\(!options.isFree)"
            try Self.print("{\(settings),\"cases\":[\n\(cases)\n]}\n")
        }
    }

    private var cases: [any BenchCase] {
        let quick = options.isQuick
        return LoadCase.all(quick: quick) + DescriptorCase.all(quick: quick) + CommandCase.all(quick: quick) + [
            StartCase()
        ]
            + HoldingCase.all(quick: quick) + [SourceDeathCase(), BrokerDeathCase(), WatchCase()]
    }

    private static func print(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: 1)
    }
}
