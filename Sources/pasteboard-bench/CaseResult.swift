/// The medians of a case's rounds, and their ratio to the floor's.
struct CaseResult {
    /// A number of each round, ours and the floor's, in the case's own unit.
    private struct Figure {
        let ours: Double
        let floor: Double
        /// The median of the rounds' own ratios: what slows the whole machine down for a while falls out of it.
        let ratio: Double

        init(_ ours: [Measurement], _ floor: [Measurement], _ value: (Measurement) -> Double) {
            let pairs = zip(ours.map(value), floor.map(value))
            self.ours = Self.median(pairs.map(\.0))
            self.floor = Self.median(pairs.map(\.1))
            self.ratio = Self.median(pairs.map { $0 / $1 })
        }

        private static func median(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
    }

    private let benchCase: BenchCase
    /// Microseconds of one load, loads in a second, GiB in a second.
    private let main: Figure
    /// Microseconds that one load of a hundred takes longer than.
    private let high: Figure?
    /// Processor time of the relay: microseconds for a load, seconds for a GiB.
    private let relay: Figure

    init(_ benchCase: BenchCase, ours: [Measurement], floor: [Measurement]) {
        let loads = Double(benchCase.count)
        let gibibytes = loads * Double(benchCase.bytes) / Double(1 << 30)
        func figure(_ value: (Measurement) -> Double) -> Figure { Figure(ours, floor, value) }
        self.benchCase = benchCase
        switch benchCase.shape {
        case .each:
            self.main = figure { Double($0.median) / 1e3 }
            self.high = figure { Double($0.high) / 1e3 }
            self.relay = figure { Double($0.relay) / 1e3 / loads }
        case .pipelined:
            self.main = figure { loads / Double($0.median) * 1e9 }
            self.high = nil
            self.relay = figure { Double($0.relay) / 1e3 / loads }
        case .bulk:
            self.main = figure { gibibytes / Double($0.median) * 1e9 }
            self.high = nil
            self.relay = figure { Double($0.relay) / 1e9 / gibibytes }
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
        row += Self.pad("\(Self.round(self.main.ours))", 11) + "  "
        row += Self.pad("\(Self.round(self.main.floor)) \(self.unit)", 19)
        row += Self.pad("\(Self.round(self.main.ratio))", 7)
        row += "\(Self.round(self.relay.ours)) / \(Self.round(self.relay.floor)) \(self.relayUnit) "
        row += "= \(Self.round(self.relay.ratio))"
        if let high {
            row += "; p99 \(Self.round(high.ours)) / \(Self.round(high.floor)) = \(Self.round(high.ratio))"
        }
        return row + "\n"
    }

    /// The names of cases are this program's own and need no escaping.
    var json: String {
        var numbers = [
            ("ours", self.main.ours), ("floor", self.main.floor), ("ratio", self.main.ratio),
            ("relayOurs", self.relay.ours), ("relayFloor", self.relay.floor), ("relayRatio", self.relay.ratio),
        ]
        if let high {
            numbers += [("p99Ours", high.ours), ("p99Floor", high.floor), ("p99Ratio", high.ratio)]
        }
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
