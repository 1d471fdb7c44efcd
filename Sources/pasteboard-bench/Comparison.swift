/// Measures a subject and the floor in turn, so that a drift of the machine's speed affects both.
struct Comparison {
    let name: String
    let kinds: [FigureKind]

    init(_ name: String, _ kinds: [FigureKind]) {
        self.name = name
        self.kinds = kinds
    }

    /// Measures one round, and returns a value of each kind.
    typealias Measure = () throws -> [Double]

    func run(rounds: Int, floor: Measure? = nil, _ subject: String, _ ours: @escaping Measure) throws -> [CaseResult] {
        try run(rounds: rounds, floor: floor, [(subject, ours)])
    }

    /// Runs all rounds. A subject that throws `Skip` is left out of the later rounds.
    func run(rounds: Int, floor: Measure?, _ subjects: [(String, Measure)]) throws -> [CaseResult] {
        var floorRounds: [[Double]] = []
        var ourRounds: [[[Double]]] = subjects.map { _ in [] }
        var skipped: [Int: String] = [:]
        for _ in 0..<rounds {
            for (index, (_, measure)) in subjects.enumerated() where skipped[index] == nil {
                do {
                    ourRounds[index].append(try measure())
                } catch let skip as Skip {
                    skipped[index] = skip.reason
                }
            }
            guard let floor else { continue }
            do {
                floorRounds.append(try floor())
            } catch let skip as Skip {
                // Without the floor of this round there is nothing to compare with.
                throw BenchError("\(name): the floor: \(skip.reason)")
            }
        }
        return subjects.enumerated().map { index, subject in
            if let reason = skipped[index] {
                return CaseResult(name: name, subject: subject.0, outcome: .skipped(reason))
            }
            let figures = kinds.enumerated().map { kind, value in
                Figure(value, ours: ourRounds[index].map { $0[kind] }, floor: floorRounds.map { $0[kind] })
            }
            return CaseResult(name: name, subject: subject.0, outcome: .measured(figures))
        }
    }
}
