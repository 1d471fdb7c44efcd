/// The name and unit of a measured number.
struct FigureKind {
    let name: String
    let unit: String
    /// True for rates.
    var moreIsBetter = false
}

/// The median of a number over all rounds, and its ratio to the floor.
struct Figure {
    let kind: FigureKind
    let ours: Double
    /// nil if the case has no floor.
    let floor: Double?
    /// The median of the ratios of single rounds: a temporary slowdown of the machine does not change it.
    let ratio: Double?

    init(_ kind: FigureKind, ours: [Double], floor: [Double]) {
        self.kind = kind
        self.ours = ours.median
        self.floor = floor.isEmpty ? nil : floor.median
        ratio = floor.isEmpty ? nil : zip(ours, floor).map { $0 / $1 }.median
    }
}

/// The result of one subject in one case.
struct CaseResult {
    enum Outcome {
        case measured([Figure])
        case skipped(String)
    }

    let name: String
    let subject: String
    let outcome: Outcome

    static let heading =
        "\("case".padded(52))\("figure".padded(14))\("ours".padded(11))\("floor".padded(11))unit        ratio\n"

    var rows: String {
        let title = subject.isEmpty ? name : "\(name): \(subject)"
        switch outcome {
        case .skipped(let reason):
            return "\(title.padded(52))skipped: \(reason)\n"
        case .measured(let figures):
            let rows = figures.enumerated().map { index, figure in
                (index == 0 ? title : "").padded(52) + figure.row
            }
            return rows.joined()
        }
    }

    var json: String {
        let head = "{\"name\":\(name.quoted),\"subject\":\(subject.quoted)"
        switch outcome {
        case .skipped(let reason): return "\(head),\"skipped\":\(reason.quoted)}"
        case .measured(let figures): return "\(head),\"figures\":[\(figures.map(\.json).joined(separator: ","))]}"
        }
    }
}

extension Figure {
    fileprivate var row: String {
        var row = kind.name.padded(14)
        row += ours.rounded3.padded(11)
        row += (floor?.rounded3 ?? "-").padded(11)
        row += (kind.unit + (kind.moreIsBetter ? " (+)" : "")).padded(12)
        return row + (ratio?.rounded3 ?? "-") + "\n"
    }

    fileprivate var json: String {
        let better = kind.moreIsBetter ? "more" : "less"
        return "{\"name\":\(kind.name.quoted),\"unit\":\(kind.unit.quoted),\"better\":\"\(better)\","
            + "\"ours\":\(ours.rounded3),\"floor\":\(floor?.rounded3 ?? "null"),"
            + "\"ratio\":\(ratio?.rounded3 ?? "null")}"
    }
}

extension [Double] {
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = self.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The value that `percent` of a hundred values do not exceed.
    func percentile(_ percent: Int) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}

extension Double {
    /// The number with three digits or more, for JSON.
    fileprivate var rounded3: String {
        guard isFinite else { return "null" }
        if abs(self) >= 1_000 { return "\(Int64(rounded()))" }
        let factor = abs(self) >= 100 ? 10.0 : abs(self) >= 1 ? 100 : 1_000
        return "\((self * factor).rounded() / factor)"
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }

    fileprivate var quoted: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\u{0}"..<" ": " "
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
