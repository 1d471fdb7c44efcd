extension BenchCase {
    /// Loads through the broker, compared with a relay in C. The floor of kept contents is the same relay, which shows
    /// what keeping saves.
    static func loads(_ stage: Stage) -> [BenchCase] {
        let promised = [
            ("core", "core-source", "core"), ("library", "core-source", "library"),
            ("library both ends", "library-source", "library"),
        ]
        let kept = [("core", "keeper", "core"), ("library", "keeper", "library")]
        let files = [("passed memory file", "core-file-source", "core")]
        let few = stage.isQuick ? 192 : 9_984
        let many = stage.isQuick ? 1_024 : 64_000
        let large = stage.isQuick ? 64 << 20 : 1 << 30
        let shapes: [(String, LoadShape, Int)] = [
            ("one at a time", .each, few), ("64 pipelined", .pipelined, many), ("64 connections", .connections, many),
        ]
        var works = shapes.flatMap { name, shape, count in
            let work = LoadWork(shape: shape, count: count, bytes: 4096)
            return [("4 KiB promised, \(name)", work, promised), ("4 KiB kept, \(name)", work, kept)]
        }
        let inline = LoadWork(shape: .bulk, count: 1, bytes: large)
        works += [("1 GiB inline", inline, promised), ("1 GiB kept", inline, kept)]
        let passed = LoadWork(shape: .descriptor, count: stage.isQuick ? 20 : 500, bytes: large)
        works.append(("1 GiB by descriptor", passed, files))
        // A case for each subject: the floor is measured directly after it.
        return works.flatMap { name, work, subjects in
            subjects.map { subject, source, destination in
                BenchCase(name: name, subject: subject, figures: work.figures) {
                    try measure(work, from: source, at: destination, stage)
                } floor: {
                    guard stage.earlier == nil else {
                        return try measure(work, from: source, at: destination, as: "earlier role", stage)
                    }
                    return try measure(work, from: "floor", at: "floor", stage)
                }
            }
        }
    }

    private static func measure(
        _ work: LoadWork,
        from source: String,
        at destination: String,
        as program: String = "role",
        _ stage: Stage
    ) throws -> [Double] {
        let socket = try stage.socket()
        let isFloor = source == "floor"
        let passesFile = work.shape == .descriptor
        let relay =
            try isFloor
            ? stage.startReady("loads", "relay", socket, work.connections, passesFile ? 1 : 0)
            : stage.startBroker(socket)
        defer { relay.end() }
        let source =
            try isFloor
            ? stage.startReady("loads", "source", socket, passesFile ? work.bytes : 0)
            : stage.startReady(program, source, socket, work.bytes)
        defer { source.end() }
        let (program, role) = isFloor ? ("loads", "destination") : (program, "\(destination)-destination")
        let loads: [any CustomStringConvertible] = [work.shape.rawValue, work.count, work.bytes, relay.id]
        let destination = try stage.start(program, [role, socket] + loads)
        defer { destination.end() }
        return work.values(try destination.numbers(4))
    }
}

extension LoadWork {
    fileprivate var figures: KeyValuePairs<String, String> {
        switch shape {
        case .each: ["p50": "us", "p99": "us", "broker": "us/load"]
        case .pipelined, .connections: ["rate": "loads/s", "broker": "us/load"]
        case .bulk: ["rate": "GiB/s", "broker": "s/GiB"]
        case .descriptor: ["mapped": "us", "broker": "us/load"]
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
        case .descriptor: [median, relay / loads]
        }
    }
}
