import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension BenchCase {
    /// The start and the memory of the broker, and the ends of its peers and its own. They have no floor.
    static func brokers(_ stage: Stage) -> [BenchCase] {
        let (deaths, few, connections) = stage.isQuick ? (10, 1, 100) : (200, 21, 1_000)
        return [
            BenchCase(name: "start", subject: "pasteboardd", figures: ["first answer": "ms", "idle RSS": "KiB"]) {
                let rounds = try (0..<few).map { _ in try start(stage) }
                return [rounds.map(\.time).median, rounds.map(\.memory).median]
            },
            BenchCase(
                name: "memory, 1000 idle connections",
                subject: "pasteboardd",
                figures: ["RSS of each": "bytes"],
                measure: { [try growth(connections, stage)] }
            ),
            BenchCase(name: "killed source to error", subject: "core", figures: ["p50": "us", "p99": "us"]) {
                let socket = try stage.socket()
                let broker = try stage.startBroker(socket)
                defer { broker.end() }
                let times = try (0..<deaths).map { _ in try deathOfSource(socket, stage) }
                return [times.median, times.sorted()[times.count * 99 / 100]]
            },
            BenchCase(
                name: "killed broker to first paste",
                subject: "pasteboardd",
                figures: ["kept": "us", "promised": "us"]
            ) {
                // Each broker and each source sees one death: for a while after it, the source would wait longer before
                // it connects again.
                let times = try (0..<few).map { _ in try deathOfBroker(stage) }
                return [times.map(\.kept).median, times.map(\.promised).median]
            },
        ]
    }

    /// The time from the start of a broker to its first answer, and its memory at that time.
    private static func start(_ stage: Stage) throws -> (time: Double, memory: Double) {
        let socket = try stage.socket()
        let start = MonotonicClock.now()
        let broker = try stage.startBroker(socket)
        defer { broker.end() }
        _ = try CoreRole.connection(socket).welcome()
        return (Double(MonotonicClock.now() - start) / 1e6, try memory(of: broker))
    }

    /// The growth of the broker's memory for each connection, without the kernel's part.
    private static func growth(_ count: Int, _ stage: Stage) throws -> Double {
        _ = System.raiseDescriptorLimit()
        let socket = try stage.socket()
        let broker = try stage.startBroker(socket)
        defer { broker.end() }
        func connection() throws -> BlockingConnection {
            let connection = try CoreRole.connection(socket)
            _ = try connection.welcome()
            return connection
        }
        // The memory for the first one includes memory that all later ones share.
        let first = try connection()
        let before = try memory(of: broker)
        let others = try (0..<count).map { _ in try connection() }
        return try withExtendedLifetime((first, others)) { (try memory(of: broker) - before) * 1024 / Double(count) }
    }

    /// The resident memory of a broker in KiB, which only root can read.
    private static func memory(of broker: BenchProcess) throws -> Double {
        let lines = String(decoding: try System.contents(of: "/proc/\(broker.id)/smaps_rollup"), as: UTF8.self)
        let words = lines.split { $0.isWhitespace }
        guard let name = words.firstIndex(of: "Rss:"), let number = Double(words[name + 1]) else {
            throw BenchError("smaps_rollup has no Rss")
        }
        return number
    }

    /// The microseconds from the death of a source that was asked to the error at the destination, which is this
    /// process.
    private static func deathOfSource(_ socket: String, _ stage: Stage) throws -> Double {
        let connection = try CoreRole.connection(socket)
        let source = try stage.start("silent-source", socket, 0)
        defer { source.end() }
        try source.awaitOutput()
        _ = try connection.io.state.open(CoreRole.load())
        try connection.io.flush()
        // Until then the request has reached the source.
        try stage.wait(milliseconds: 2)
        let start = MonotonicClock.now()
        try System.kill(source.id, SIGKILL)
        var hasFailed = false
        while !hasFailed {
            try connection.turn { _, event, _ in
                if case .failed = event { hasFailed = true }
            }
        }
        return Double(MonotonicClock.now() - start) / 1e3
    }

    /// The microseconds from the death of a broker to the first loads from its successor: of kept contents, and of a
    /// promise that a source of the library writes again.
    private static func deathOfBroker(_ stage: Stage) throws -> (kept: Double, promised: Double) {
        let bytes = 4 << 10
        let socket = try stage.socket()
        let broker = try stage.startBroker(socket)
        let source = try stage.start("library-source", socket, bytes)
        try source.awaitOutput()
        defer { source.end() }
        try CoreRole.write(.bytes([UInt8](repeating: 7, count: bytes)), to: "kept", CoreRole.connection(socket))
        let start = MonotonicClock.now()
        try System.kill(broker.id, SIGKILL)
        broker.end()
        // The source may have started one already.
        let successor = try? stage.startBroker(socket)
        defer { successor?.end() }
        try load("kept", bytes, socket)
        let kept = MonotonicClock.now()
        try load(BoardName.general, bytes, socket)
        return (Double(kept - start) / 1e3, Double(MonotonicClock.now() - start) / 1e3)
    }

    /// Loads until it succeeds.
    private static func load(_ board: String, _ bytes: Int, _ socket: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: 10_000)
        while true {
            do {
                let count = try CoreRole.connection(socket).loadBytes(CoreRole.load(of: board)).bytes.count
                guard count == bytes else { throw BenchError("loaded \(count) bytes") }
                return
            } catch let failure as Failure {
                guard MonotonicClock.now() < deadline else { throw failure }
            }
        }
    }
}
