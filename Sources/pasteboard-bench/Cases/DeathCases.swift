import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension BenchCase {
    /// The time from the death of a source that was asked to the error at the destination, which is this process. The
    /// relay ends with its source, and the destination reads the end of the file.
    static func sourceDeath(_ stage: Stage) -> BenchCase {
        let count = stage.isQuick ? 10 : 200
        return BenchCase(name: "killed source to error", subject: "core", figures: ["p50": "us", "p99": "us"]) {
            let socket = try stage.socket()
            let broker = try stage.startBroker(socket)
            defer { broker.end() }
            return try values((0..<count).map { _ in try deathOfSource(socket, stage) })
        } floor: {
            try values((0..<count).map { _ in try deathOfFloorSource(stage) })
        }
    }

    private static func values(_ times: [Double]) -> [Double] {
        [times.median, times.sorted()[times.count * 99 / 100]]
    }

    private static func deathOfSource(_ socket: String, _ stage: Stage) throws -> Double {
        let connection = try CoreConnection.open(socket)
        let source = try stage.startReady("role", "silent-source", socket)
        defer { source.end() }
        _ = try connection.io.state.open(CoreConnection.load())
        try connection.io.flush()
        return try microseconds(from: source, stage) {
            var hasFailed = false
            while !hasFailed {
                try connection.turn { _, event, _ in
                    if case .failed = event { hasFailed = true }
                }
            }
        }
    }

    private static func deathOfFloorSource(_ stage: Stage) throws -> Double {
        let socket = try stage.socket()
        let relay = try stage.startReady("loads", "relay", socket, 1, 0)
        defer { relay.end() }
        // The same program as the other source: the kernel takes most of the time to end it.
        let source = try stage.startReady("role", "silent-connection", socket)
        defer { source.end() }
        let destination = try Socket.connect(path: socket, deadline: .max)
        return try microseconds(from: source, stage) {
            guard try stage.read(destination.raw).isEmpty else { throw BenchError("the relay has sent bytes") }
        }
    }

    /// Kills a source that has been asked, and returns the time until the error.
    private static func microseconds(
        from source: BenchProcess,
        _ stage: Stage,
        _ error: () throws -> Void
    ) throws -> Double {
        // Until then the request has reached the source.
        try stage.wait(milliseconds: 2)
        let start = MonotonicClock.now()
        try System.kill(source.id, SIGKILL)
        try error()
        return Double(MonotonicClock.now() - start) / 1e3
    }

    /// The time from the death of a broker to the first loads from its successor: of kept contents, and of a promise
    /// that a source of the library writes again.
    ///
    /// The floor is the time from the death of the C store to the first answer of another one, which this program
    /// starts. It has no contents.
    static func brokerDeath(_ stage: Stage) -> BenchCase {
        // Each broker and each source sees one death: for a while after it, the source would wait longer before it
        // connects again.
        let count = stage.isQuick ? 1 : 21
        let figures: KeyValuePairs = ["kept": "us", "promised": "us"]
        return BenchCase(name: "killed broker to first paste", subject: Server.broker.rawValue, figures: figures) {
            let times = try (0..<count).map { _ in try deathOfBroker(stage) }
            return [times.map(\.kept).median, times.map(\.promised).median]
        } floor: {
            let time = try (0..<count).map { _ in try deathOfStore(stage) }.median
            return [time, time]
        }
    }

    private static func deathOfBroker(_ stage: Stage) throws -> (kept: Double, promised: Double) {
        let bytes = 4 << 10
        let socket = try stage.socket()
        let broker = try stage.startBroker(socket)
        let source = try stage.startReady("role", "library-source", socket, bytes)
        defer { source.end() }
        var write = Write()
        write.board = "kept"
        let item = CoreConnection.item(.bytes([UInt8](repeating: 7, count: bytes)))
        _ = try CoreConnection.open(socket).write(write, items: [item])
        let start = MonotonicClock.now()
        try System.kill(broker.id, SIGKILL)
        broker.end()
        // The source may have started one already.
        let successor = try? stage.startBroker(socket)
        defer { successor?.end() }
        try load(write.board, bytes, socket)
        let kept = MonotonicClock.now()
        try load(nil, bytes, socket)
        return (Double(kept - start) / 1e3, Double(MonotonicClock.now() - start) / 1e3)
    }

    /// Loads until it succeeds.
    private static func load(_ board: String?, _ bytes: Int, _ socket: String) throws {
        var load = CoreConnection.load()
        load.board = board
        let deadline = MonotonicClock.deadline(milliseconds: 10_000)
        while true {
            do {
                let count = try CoreConnection.open(socket).loadBytes(load).bytes.count
                guard count == bytes else { throw BenchError("loaded \(count) bytes") }
                return
            } catch let failure as Failure {
                guard MonotonicClock.now() < deadline else { throw failure }
            }
        }
    }

    private static func deathOfStore(_ stage: Stage) throws -> Double {
        let first = try Server.floor.start(try stage.socket(), on: stage)
        let socket = try stage.socket()
        let start = MonotonicClock.now()
        try System.kill(first.id, SIGKILL)
        first.end()
        let second = try Server.floor.start(socket, on: stage)
        defer { second.end() }
        try Server.floor.ask(socket, on: stage)
        return Double(MonotonicClock.now() - start) / 1e3
    }
}
