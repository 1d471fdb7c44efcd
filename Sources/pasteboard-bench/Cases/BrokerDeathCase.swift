import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The time from the death of a broker to the first loads from its successor, which its keeper starts: of kept
/// contents, and of a promise that a source of the library writes again.
///
/// The floor is the time from the death of the C store to the first answer of another one, which this program starts.
/// It has no contents.
struct BrokerDeathCase: BenchCase {
    private static let board = "kept"
    private static let bytes = 4 << 10
    /// The keeper pauses before it restarts brokers that die within 100 ms. In milliseconds.
    private static let calm = 150

    let name = "killed broker to first paste"
    let subject = "pasteboardd"

    func run(on stage: Stage) throws -> [CaseResult] {
        let kinds = [FigureKind(name: "kept", unit: "us"), FigureKind(name: "promised", unit: "us")]
        // Each broker and each source sees one death: for a while after it, the source would wait longer before it
        // connects again.
        let count = stage.options.isQuick ? 1 : 21
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: {
                let time = try (0..<count).map { _ in try floorDeath(stage) }.median
                return [time, time]
            },
            subject,
            {
                let times = try (0..<count).map { _ in try death(stage) }
                return [times.map(\.kept).median, times.map(\.promised).median]
            }
        )
    }

    private func death(_ stage: Stage) throws -> (kept: Double, promised: Double) {
        let socket = try stage.socket()
        let keeper = try Server.startKept(on: stage, socket)
        defer { keeper.terminate() }
        let source = try stage.startReady("library-source", socket, Self.bytes)
        defer { source.end() }
        var write = Write()
        write.board = Self.board
        let kept = CoreConnection.item(.bytes([UInt8](repeating: 7, count: Self.bytes)))
        _ = try CoreConnection.open(socket).write(write, items: [kept])
        try stage.pause(milliseconds: Self.calm)
        let broker = try keeper.child()
        let start = MonotonicClock.now()
        try System.kill(broker, SIGKILL)
        try load(Self.board, socket)
        let keptEnd = MonotonicClock.now()
        try load(nil, socket)
        return (Double(keptEnd - start) / 1e3, Double(MonotonicClock.now() - start) / 1e3)
    }

    /// Loads until it succeeds.
    private func load(_ board: String?, _ socket: String) throws {
        var load = Load()
        load.board = board
        var accept = Accept()
        accept.type = "public.data"
        load.accepts = [accept]
        let deadline = MonotonicClock.deadline(milliseconds: 10_000)
        while true {
            do {
                let bytes = try CoreConnection.open(socket).loadBytes(load).bytes
                guard bytes.count == Self.bytes else { throw BenchError("loaded \(bytes.count) bytes") }
                return
            } catch let failure as Failure {
                guard MonotonicClock.now() < deadline else { throw failure }
            }
        }
    }

    private func floorDeath(_ stage: Stage) throws -> Double {
        let first = try Server.floor.start(on: stage, try stage.socket())
        let socket = try stage.socket()
        let start = MonotonicClock.now()
        first.end()
        let second = try Server.floor.start(on: stage, socket)
        defer { second.end() }
        try Server.floor.ask(socket)
        return Double(MonotonicClock.now() - start) / 1e3
    }
}
