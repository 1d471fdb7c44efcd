/// The medians of a case's rounds, and their ratio to the floor's.
struct CaseResult {
    private let benchCase: BenchCase
    private let ours: Numbers
    private let floor: Numbers

    /// In the case's own unit: microseconds of one load, loads in a second, GiB in a second.
    private struct Numbers {
        let main: Double
        let high: Double
        let relay: Double
    }

    init(_ benchCase: BenchCase, ours: [Measurement], floor: [Measurement]) {
        self.benchCase = benchCase
        self.ours = Self.numbers(benchCase, ours)
        self.floor = Self.numbers(benchCase, floor)
    }

    private static func numbers(_ benchCase: BenchCase, _ rounds: [Measurement]) -> Numbers {
        func median(_ value: (Measurement) -> UInt64) -> Double {
            let sorted = rounds.map(value).sorted()
            return Double(sorted[sorted.count / 2])
        }
        let gibibytes = Double(benchCase.bytes * benchCase.count) / Double(1 << 30)
        let whole = median(\.median)
        switch benchCase.shape {
        case .each:
            return Numbers(
                main: whole / 1e3,
                high: median(\.high) / 1e3,
                relay: median(\.relay) / 1e3 / Double(benchCase.count)
            )
        case .pipelined:
            return Numbers(
                main: Double(benchCase.count) / whole * 1e9,
                high: 0,
                relay: median(\.relay) / 1e3 / Double(benchCase.count)
            )
        case .bulk:
            return Numbers(main: gibibytes / whole * 1e9, high: 0, relay: median(\.relay) / 1e9 / gibibytes)
        }
    }

    private var unit: String {
        switch self.benchCase.shape {
        case .each: "us p50"
        case .pipelined: "loads/s"
        case .bulk: "GiB/s"
        }
    }

    private var relayUnit: String { self.benchCase.shape == .bulk ? "s/GiB" : "us/load" }

    static let heading =
        "case                                      ours         C floor      ratio   relay's processor time\n"

    var row: String {
        var row = Self.pad(self.benchCase.name, 40)
        row += Self.pad("\(Self.round(self.ours.main))", 11) + "  "
        row += Self.pad("\(Self.round(self.floor.main)) \(self.unit)", 19)
        row += Self.pad("\(Self.round(self.ours.main / self.floor.main))", 7)
        row += "\(Self.round(self.ours.relay)) / \(Self.round(self.floor.relay)) \(self.relayUnit) "
        row += "= \(Self.round(self.ours.relay / self.floor.relay))"
        if self.benchCase.shape == .each {
            row += "; p99 \(Self.round(self.ours.high)) / \(Self.round(self.floor.high)) "
            row += "= \(Self.round(self.ours.high / self.floor.high))"
        }
        return row + "\n"
    }

    /// The names of cases are this program's own and need no escaping.
    var json: String {
        let numbers = [
            ("ours", self.ours.main), ("floor", self.floor.main), ("ratio", self.ours.main / self.floor.main),
            ("relayOurs", self.ours.relay), ("relayFloor", self.floor.relay),
            ("relayRatio", self.ours.relay / self.floor.relay),
        ]
        let fields = numbers.map { "\"\($0.0)\":\(Self.round($0.1))" }.joined(separator: ",")
        return "{\"name\":\"\(self.benchCase.name)\",\"unit\":\"\(self.unit)\",\(fields)}"
    }

    private static func round(_ value: Double) -> Double {
        guard value.isFinite else { return 0 }
        let factor = value >= 1_000 ? 1.0 : value >= 100 ? 10 : value >= 1 ? 100 : 1_000
        return (value * factor).rounded() / factor
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
