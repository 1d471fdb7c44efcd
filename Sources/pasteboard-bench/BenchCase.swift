/// One measurement of the benchmark.
protocol BenchCase {
    /// The name without the size, which `--quick` changes. The smoke run looks for it.
    var name: String { get }
    /// The measured program, if the case compares several.
    var subject: String { get }

    /// Runs the case in rounds on a stage of its own, or throws `Skip`.
    func run(on stage: Stage) throws -> [CaseResult]
}

/// The reason why this machine cannot run a case. It is reported in the result and is no failure.
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
