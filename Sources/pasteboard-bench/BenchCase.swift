/// One case of the benchmark.
protocol BenchCase {
    /// The name, which `--quick` does not change: the smoke run looks for it.
    var name: String { get }
    /// The measured programs or clients, if a case has several.
    var subject: String { get }

    /// Runs all rounds of the case, or throws `Skip`.
    func run(on stage: Stage) throws -> [CaseResult]
}

/// The reason why this machine cannot run a case. The result reports it; it is not a failure.
struct Skip: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
