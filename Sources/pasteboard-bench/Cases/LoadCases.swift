extension BenchCase {
    /// Loads through the broker, compared with a relay in C. The floor of kept contents is the same relay, which shows
    /// what keeping saves.
    static func loads(_ stage: Stage) -> [BenchCase] {
        let promised = [
            ("core", "core-source", "core"), ("library", "core-source", "library"),
            ("library both ends", "library-source", "library"),
        ]
        let kept = [("core", "keeper", "core"), ("library", "keeper", "library")]
        let shapes: [(String, LoadShape, Int)] = [
            ("one at a time", .each, stage.isQuick ? 192 : 9_984),
            ("64 pipelined", .pipelined, stage.isQuick ? 1_024 : 64_000),
            ("64 connections", .connections, stage.isQuick ? 1_024 : 64_000),
        ]
        var works = shapes.flatMap { name, shape, count in
            let work = LoadWork(shape: shape, count: count, bytes: 4096)
            return [("4 KiB promised, \(name)", work, promised), ("4 KiB kept, \(name)", work, kept)]
        }
        let large = LoadWork(shape: .bulk, count: 1, bytes: stage.isQuick ? 64 << 20 : 1 << 30)
        works += [("1 GiB inline", large, promised), ("1 GiB kept", large, kept)]
        // A case for each subject: the floor is measured directly after it.
        return works.flatMap { name, work, subjects in
            subjects.map { subject, source, destination in
                BenchCase(name: name, subject: subject, figures: work.figures) {
                    try measure(work, from: source, at: destination, stage)
                } floor: {
                    guard stage.earlier == nil else {
                        return try measure(work, from: source, at: destination, isEarlier: true, stage)
                    }
                    return try measureFloor(work, stage)
                }
            }
        }
    }

    private static func measure(
        _ work: LoadWork,
        from source: String,
        at destination: String,
        isEarlier: Bool = false,
        _ stage: Stage
    ) throws -> [Double] {
        let socket = try stage.socket()
        let broker = try stage.startBroker(socket)
        defer { broker.end() }
        let source = try stage.start(source, socket, work.bytes, isEarlier: isEarlier)
        try source.awaitOutput()
        defer { source.end() }
        let (role, shape) = ("\(destination)-destination", work.shape.rawValue)
        let loading = try stage.start(role, socket, shape, work.count, work.bytes, broker.id, isEarlier: isEarlier)
        return work.values(try loading.numbers(4))
    }

    private static func measureFloor(_ work: LoadWork, _ stage: Stage) throws -> [Double] {
        let (floor, socket) = (try stage.floor(), try stage.socket())
        let relay = try BenchProcess([floor, "relay", socket, "\(work.shape.connections)"], on: stage)
        try relay.awaitOutput()
        let source = try BenchProcess([floor, "source", socket], on: stage)
        try source.awaitOutput()
        let numbers = [work.count, work.bytes, Int(relay.id)].map(\.description)
        let loading = try BenchProcess([floor, "destination", socket, work.shape.rawValue] + numbers, on: stage)
        return work.values(try loading.numbers(4))
    }
}

extension LoadWork {
    fileprivate var figures: KeyValuePairs<String, String> {
        switch shape {
        case .each: ["p50": "us", "p99": "us", "broker": "us/load"]
        case .pipelined, .connections: ["rate": "loads/s", "broker": "us/load"]
        case .bulk: ["rate": "GiB/s", "broker": "s/GiB"]
        }
    }

    /// The values of the figures, from the numbers of a `Measurement`.
    fileprivate func values(_ numbers: [Double]) -> [Double] {
        let (median, high, whole, relay) = (numbers[0] / 1e3, numbers[1] / 1e3, numbers[2] / 1e9, numbers[3] / 1e3)
        let loads = Double(count)
        let gibibytes = loads * Double(bytes) / Double(1 << 30)
        return switch shape {
        case .each: [median, high, relay / loads]
        case .pipelined, .connections: [loads / whole, relay / loads]
        case .bulk: [gibibytes / whole, relay / 1e6 / gibibytes]
        }
    }
}
