/// Loads through the broker, compared with a relay in C that moves the same bytes and does not interpret them.
struct LoadCase: BenchCase {
    /// The client code of a source or destination: the blocking client or the asynchronous library.
    enum Client: String {
        case core
        case library
        /// The asynchronous library, with tasks on the executor of their connection.
        case libraryExecutor = "library-executor"
    }

    enum Contents {
        /// Produced by this source at each load.
        case promised(Client)
        /// Kept by the broker. The floor is that of promises, which shows what keeping saves.
        case kept
    }

    let title: String
    let shape: LoadShape
    let destination: Client
    let contents: Contents
    let count: Int
    let bytes: Int

    static func all(quick: Bool) -> [LoadCase] {
        let small = quick ? 192 : 9_984
        let many = quick ? 1_024 : 64_000
        let shapes: [(String, LoadShape, Int)] = [
            ("one at a time", .each, small), ("64 pipelined", .pipelined, many), ("64 connections", .connections, many),
        ]
        let promised: [(Client, Contents)] = [
            (.core, .promised(.core)), (.library, .promised(.core)), (.libraryExecutor, .promised(.core)),
            (.library, .promised(.library)),
        ]
        let kept: [(Client, Contents)] = [(.core, .kept), (.library, .kept)]
        var cases: [LoadCase] = []
        for (name, shape, count) in shapes {
            for (destination, contents) in promised {
                cases.append(LoadCase("4 KiB promised, \(name)", shape, destination, contents, count, 4096))
            }
            for (destination, contents) in kept {
                cases.append(LoadCase("4 KiB kept, \(name)", shape, destination, contents, count, 4096))
            }
        }
        for (name, bytes, count) in [("64 MiB", 64 << 20, 4), ("1 GiB", 1 << 30, 1)] {
            for (destination, contents) in promised where destination != .libraryExecutor {
                let bytes = quick ? bytes >> 4 : bytes
                cases.append(LoadCase("\(name) inline", .bulk, destination, contents, quick ? 1 : count, bytes))
            }
        }
        return cases
    }

    private init(
        _ title: String,
        _ shape: LoadShape,
        _ destination: Client,
        _ contents: Contents,
        _ count: Int,
        _ bytes: Int
    ) {
        self.title = title
        self.shape = shape
        self.destination = destination
        self.contents = contents
        self.count = count
        self.bytes = bytes
    }

    var name: String { title }

    var subject: String {
        switch (destination, contents) {
        case (.library, .promised(.library)): "library both ends"
        case (.libraryExecutor, _): "library on its executor"
        default: destination.rawValue
        }
    }

    func run(on stage: Stage) throws -> [CaseResult] {
        let source =
            switch contents {
            case .promised(let client): "\(client.rawValue)-source"
            case .kept: "keeper"
            }
        let relay = shape == .connections ? "relay-many" : "relay"
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: { try measure(stage, relay, "floor-source", "floor-destination") },
            subject,
            { try measure(stage, "broker", source, "\(destination.rawValue)-destination") }
        )
    }

    private func measure(_ stage: Stage, _ relay: String, _ source: String, _ destination: String) throws -> [Double] {
        let socket = try stage.socket()
        let relay = try stage.startReady(relay, socket)
        defer { relay.end() }
        let source = try stage.startReady(source, socket, bytes)
        defer { source.end() }
        let destination = try stage.start(
            destination,
            socket,
            shape.rawValue,
            count,
            bytes,
            relay.id
        )
        defer { destination.end() }
        return figures(try destination.numbers(4))
    }

    private var kinds: [FigureKind] {
        let relay = FigureKind(name: "broker", unit: shape == .bulk ? "s/GiB" : "us/load")
        return switch shape {
        case .each: [FigureKind(name: "p50", unit: "us"), FigureKind(name: "p99", unit: "us"), relay]
        case .pipelined, .connections: [FigureKind(name: "rate", unit: "loads/s", moreIsBetter: true), relay]
        case .bulk: [FigureKind(name: "rate", unit: "GiB/s", moreIsBetter: true), relay]
        }
    }

    private func figures(_ numbers: [Double]) -> [Double] {
        let loads = Double(count)
        let gibibytes = loads * Double(bytes) / Double(1 << 30)
        let (median, high, whole, relay) = (numbers[0], numbers[1], numbers[2], numbers[3])
        return switch shape {
        case .each: [median / 1e3, high / 1e3, relay / 1e3 / loads]
        case .pipelined, .connections: [loads / whole * 1e9, relay / 1e3 / loads]
        case .bulk: [gibibytes / whole * 1e9, relay / 1e9 / gibibytes]
        }
    }
}
