/// One thing to measure.
protocol BenchCase {
    /// Without the size where `--quick` changes it: what the smoke run looks for.
    var name: String { get }
    /// Who is measured, where one thing is measured of several.
    var subject: String { get }

    /// Runs it in rounds on a stage of its own, or throws `Skip`.
    func run(on stage: Stage) throws -> [CaseResult]
}

/// Why this machine cannot run something: said in the result, and no failure.
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
