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
    func run(rounds: Int) -> CaseResult {
        var ours: [[Double]] = []
        var floors: [[Double]] = []
        do {
            for _ in 0..<rounds {
                ours.append(try measure())
                if let floor { floors.append(try floor()) }
            }
        } catch {
            return CaseResult(name: name, subject: subject, failure: "\(error)")
        }
        let figures = figures.enumerated().map { index, figure in
            Figure(figure.key, unit: figure.value, ours: ours.map { $0[index] }, floor: floors.map { $0[index] })
        }
        return CaseResult(name: name, subject: subject, figures: figures)
    }
}

/// The result of a case: its figures, or the reason why it failed.
struct CaseResult: Encodable {
    let name: String
    let subject: String
    var figures: [Figure]?
    var failure: String?

    static let heading =
        "case".padded(58) + "figure".padded(14) + "ours".padded(11) + "floor".padded(11) + "unit".padded(14) + "ratio\n"

    var rows: String {
        let title = "\(name): \(subject)".padded(58)
        guard let figures else { return "\(title)failed: \(failure ?? "")\n" }
        return title + figures.map(\.row).joined(separator: "".padded(58))
    }
}

/// The median of a measured number over all rounds, and its ratio to the floor.
struct Figure: Encodable {
    let name: String
    let unit: String
    let ours: Double
    /// nil if the case has no floor.
    let floor: Double?
    /// The median of the ratios of single rounds: a temporary slowdown of the machine does not change it.
    let ratio: Double?

    init(_ name: String, unit: String, ours: [Double], floor: [Double]) {
        (self.name, self.unit) = (name, unit)
        self.ours = ours.median.rounded3
        self.floor = floor.isEmpty ? nil : floor.median.rounded3
        ratio = floor.isEmpty ? nil : zip(ours, floor).map { $0 / $1 }.median.rounded3
    }

    fileprivate var row: String {
        let numbers = [ours, floor, ratio].map { $0.map { abs($0) < 1_000 ? "\($0)" : "\(Int64($0))" } ?? "-" }
        // A higher rate is better.
        let unit = unit + (unit.hasSuffix("/s") ? " (+)" : "")
        return name.padded(14) + numbers[0].padded(11) + numbers[1].padded(11) + unit.padded(14) + numbers[2] + "\n"
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension [Double] {
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = self.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension Double {
    /// The number with three digits or more; 0 if it is none, as after a division by zero.
    fileprivate var rounded3: Double {
        guard isFinite else { return 0 }
        let factor = abs(self) >= 1_000 ? 1.0 : abs(self) >= 100 ? 10 : abs(self) >= 1 ? 100 : 1_000
        return (self * factor).rounded() / factor
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
