/// One case: what a subject and the floor do in each round.
struct BenchCase {
    /// Measures one round, and returns a number for each figure.
    typealias Measure = () throws -> [Double]

    let name: String
    let subject: String
    /// The names and units of the figures.
    let figures: KeyValuePairs<String, String>
    let measure: Measure
    /// nil if there is nothing to compare with.
    var floor: Measure?

    /// Measures the subject and the floor in turn, so that a drift of the machine's speed affects both.
    func run(rounds: Int) throws -> CaseResult {
        var ours: [[Double]] = []
        var floors: [[Double]] = []
        do {
            for _ in 0..<rounds {
                ours.append(try measure())
                if let floor { floors.append(try floor()) }
            }
        } catch let skip as Skip {
            return CaseResult(name: name, subject: subject, skipped: skip.description)
        }
        let figures = figures.enumerated().map { index, figure in
            Figure(figure.key, unit: figure.value, ours: ours.map { $0[index] }, floor: floors.map { $0[index] })
        }
        return CaseResult(name: name, subject: subject, figures: figures)
    }
}

/// The reason why this machine cannot run a case. The result reports it; it is not a failure.
struct Skip: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) {
        description = reason
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
