import CBenchFloor
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The time from the death of a source that was asked to the error at the destination, which is this process.
struct SourceDeathCase: BenchCase {
    let name = "killed source to error"
    let subject = "core"

    func run(on stage: Stage) throws -> [CaseResult] {
        let kinds = [FigureKind(name: "p50", unit: "us"), FigureKind(name: "p99", unit: "us")]
        let count = stage.options.isQuick ? 10 : 200
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: { Self.figures(try (0..<count).map { _ in try floorDeath(stage) }) },
            subject,
            { Self.figures(try deaths(stage, count)) }
        )
    }

    private static func figures(_ times: [Double]) -> [Double] {
        [times.median, times.percentile(99)]
    }

    private func deaths(_ stage: Stage, _ count: Int) throws -> [Double] {
        let socket = try stage.socket()
        let broker = try stage.startReady("broker", socket)
        defer { broker.end() }
        let connection = try CoreConnection.open(socket)
        _ = try connection.welcome()
        var accept = Accept()
        accept.type = "public.data"
        var load = Load()
        load.accepts = [accept]
        return try (0..<count).map { _ in
            let source = try stage.startReady("silent-source", socket)
            defer { source.end() }
            _ = try connection.io.state.open(load)
            try connection.io.flush()
            guard try source.line() == "asked" else { throw BenchError("the source was not asked") }
            return try time(source) {
                var failure: Failure?
                while failure == nil {
                    try connection.turn { _, event, _ in
                        if case .failed(_, let reason) = event { failure = reason }
                    }
                }
            }
        }
    }

    /// The same time for the relay: it ends with its source, and the destination reads an end of file.
    private func floorDeath(_ stage: Stage) throws -> Double {
        let socket = try stage.socket()
        let relay = try stage.startReady("relay", socket)
        defer { relay.end() }
        let source = try stage.startReady("floor-silent-source", socket)
        defer { source.end() }
        let destination = OwnedDescriptor(adopting: floor_connect(socket))
        floor_ask(destination.raw)
        guard try source.line() == "asked" else { throw BenchError("the source was not asked") }
        return try time(source) {
            guard try System.read(destination.raw, upTo: 4096).isEmpty else {
                throw BenchError("received bytes from a killed source")
            }
        }
    }

    /// Kills the source, and returns the microseconds until the error.
    private func time(_ source: BenchProcess, _ awaitError: () throws -> Void) throws -> Double {
        let start = MonotonicClock.now()
        try source.kill()
        try awaitError()
        return Double(MonotonicClock.now() - start) / 1e3
    }
}
