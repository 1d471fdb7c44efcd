import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The rate of small writes to a board that many watch, in comparison with a board that nobody watches. It ends when
/// each watcher has the last change.
struct WatchCase: BenchCase {
    let name = "writes to a board with 4096 watches"
    let subject = "core"

    func run(on stage: Stage) throws -> [CaseResult] {
        let kinds = [
            FigureKind(name: "rate", unit: "writes/s", moreIsBetter: true),
            FigureKind(name: "broker", unit: "us/write"),
        ]
        let watches = stage.options.isQuick ? 64 : 4_096
        let writes = stage.options.isQuick ? 100 : 20_000
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: { try figures(stage, watches: 0, writes) },
            subject,
            { try figures(stage, watches: watches, writes) }
        )
    }

    private func figures(_ stage: Stage, watches: Int, _ writes: Int) throws -> [Double] {
        let socket = try stage.socket()
        let broker = try stage.startReady("broker", socket)
        defer { broker.end() }
        let watchers = try stage.startReady("hold-watches", socket, watches)
        defer { watchers.end() }
        let connection = try CoreConnection.open(socket)
        let measurement = try Measurement(relay: broker.id) {
            for _ in 0..<writes {
                _ = try connection.write(Write(), items: [CoreConnection.item(.bytes([7]))])
            }
            return []
        }
        _ = try connection.clear()
        guard try watchers.line() == "done" else { throw BenchError("a watch did not report the last change") }
        let (whole, time) = (Double(measurement.numbers[2]), Double(measurement.numbers[3]))
        return [Double(writes) / whole * 1e9, time / 1e3 / Double(writes)]
    }
}
