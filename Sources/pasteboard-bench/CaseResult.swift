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
        let numbers = [ours, floor, ratio].map { $0.map(Self.text) ?? "-" }
        // A higher rate is better.
        let unit = unit + (unit.hasSuffix("/s") ? " (+)" : "")
        return name.padded(14) + numbers[0].padded(11) + numbers[1].padded(11) + unit.padded(14) + numbers[2] + "\n"
    }

    private static func text(_ number: Double) -> String {
        abs(number) < 1_000 ? "\(number)" : "\(Int64(number))"
    }
}

/// The result of one subject in one case: its figures, or the reason why it was skipped.
struct CaseResult: Encodable {
    let name: String
    let subject: String
    var figures: [Figure]?
    var skipped: String?

    static let heading =
        "case".padded(58) + "figure".padded(14) + "ours".padded(11) + "floor".padded(11) + "unit".padded(14) + "ratio\n"

    var rows: String {
        let title = "\(name): \(subject)".padded(58)
        guard let figures else { return "\(title)skipped: \(skipped ?? "")\n" }
        return title + figures.map(\.row).joined(separator: "".padded(58))
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
