import CBenchFloor
import PasteboardTransport

/// Runs the cases, ours and the floor's in turn, so that a machine whose speed drifts is the same for both.
struct Benchmark {
    let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    func run() throws {
        if self.options.showsHelp { return try Self.print(BenchOptions.usage) }
        let program = try System.programPath()
        let core = self.options.isFree ? -1 : bench_last_core()
        let interrupts = bench_interrupts()
        var results: [CaseResult] = []
        if !self.options.printsJSON { try Self.print(CaseResult.heading) }
        for benchCase in BenchCase.all(quick: self.options.isQuick) {
            if let word = self.options.word, !benchCase.name.contains(word) { continue }
            var ours: [Measurement] = []
            var floor: [Measurement] = []
            func trial(_ benchCase: BenchCase) throws -> Measurement {
                try Trial(benchCase: benchCase, core: core, program: program, interrupts: interrupts).run()
            }
            for _ in 0..<self.options.rounds {
                ours.append(try trial(benchCase))
                floor.append(try trial(benchCase.floor))
            }
            let result = CaseResult(benchCase, ours: ours, floor: floor)
            results.append(result)
            if !self.options.printsJSON { try Self.print(result.row) }
        }
        if self.options.printsJSON {
            let cases = results.map(\.json).joined(separator: ",")
            try Self.print(
                "{\"rounds\":\(self.options.rounds),\"pinned\":\(!self.options.isFree),\"cases\":[\(cases)]}\n"
            )
        }
    }

    private static func print(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: 1)
    }
}
