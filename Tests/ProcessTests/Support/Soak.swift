import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Mixed work of many processes at one broker. They are killed, stopped and continued at random, and the broker is
/// restarted in order.
final class Soak {
    /// The numbers of everything that has happened.
    struct Figures {
        var rounds = 0
        var processes = 0
        var kills = 0
        var stops = 0
        var restarts = 0
        var loadsDone: UInt64 = 0
        var loadsFailed: UInt64 = 0
        /// The nanoseconds that the canary needed each time.
        var canary: [UInt64] = []
        /// The resident memory of the broker in KiB after each round since its start.
        var memory: [Int] = []
        var mostGrowth = 0
    }

    private enum Task {
        case source
        case destination
        /// A destination that does not consume all bytes, so its load need not end.
        case holdingDestination
        case storm
        case command
        case view
    }

    private struct Worker {
        let peer: PeerProcess
        let task: Task
        var isStopped = false
    }

    /// The milliseconds after which loads of processes that are stopped end.
    private static let patience = 2_000
    private static let mostWorkers = 16
    private static let actions = 60
    private static let output = "out-"

    private(set) var figures = Figures()
    private let restartRound: Int
    private var generator: SeededGenerator
    private let place: BrokerPlace
    private let file: String
    private let fileBytes = Desk.bytes(3_000_000)
    private var broker: BrokerProcess
    private var canary: Canary
    private var holdings: BrokerHoldings
    private var workers: [Worker] = []

    /// - Parameter round: the round after which the broker is restarted, and again after each further hundred.
    init(seed: UInt64, restartsAfter round: Int) throws {
        generator = SeededGenerator(seed: seed)
        restartRound = round
        place = try BrokerPlace()
        file = try place.directory.write(fileBytes, to: "file")
        broker = try BrokerProcess(at: place)
        canary = try Canary(at: broker)
        holdings = try BrokerHoldings(of: broker, to: canary)
    }

    /// Lets processes work and die for a while. Then all of them have ended, and the broker holds nothing for them.
    func round() throws {
        figures.rounds += 1
        for _ in 0..<Self.actions {
            try act()
            let start = MonotonicClock.now()
            try canary.sing()
            figures.canary.append(MonotonicClock.now() - start)
            if workers.count > Self.mostWorkers { try conclude(workers.removeFirst()) }
        }
        if figures.rounds % 100 == restartRound { return try restart() }
        try concludeAll()
        try canary.clearOthers()
        try broker.expectHoldings(holdings, to: canary, comment)
        try checkMemory()
    }

    /// Ends the broker.
    func end() throws {
        try countLoads()
        try canary.end()
        try broker.end()
    }

    private var comment: Comment { "round \(figures.rounds)" }

    // MARK: Actions

    private func act() throws {
        let size = Int.random(in: 0...(Bool.random(using: &generator) ? 2_000 : 3_000_000), using: &generator)
        switch Int.random(in: 0..<22, using: &generator) {
        case 0: try start(.source, ["kept=\(size)"])
        case 1: try start(.source, ["serve=\(size)", "bytes=\(size)"])
        case 2: try start(.source, ["once", "serve=\(size)"])
        case 3: try start(.source, ["pass=sealed:\(size + 1)"])
        case 4: try start(.source, Bool.random(using: &generator) ? [] : ["serve=\(size)"])
        case 5...7: try start(.destination, [])
        case 8: try start(.destination, ["takes-descriptor"])
        case 9: try start(.holdingDestination, ["hold", "credit=\(size)"])
        case 10:
            try start(
                .storm,
                ["\(["connects", "writes", "drags", "cancels"].randomElement(using: &generator) ?? "")=200"]
            )
        case 11: try startCommand(["copy", "--board", "files", file], .command)
        case 12: try startCommand(["offer", "--board", "files", file], .source)
        case 13, 14:
            try startCommand(
                [
                    "paste", "--board", "files", "-o", place.directory[Self.output + "\(figures.processes)"],
                    "--timeout", "\(2 * Self.patience)ms",
                ],
                .command
            )
        case 15:
            try add("library-peer", ["view", place.socket, "name=desk \(figures.processes)"], .view)
            try add("library-peer", ["view", place.socket, "to=desk \(figures.processes - 1)", "text=dragged"], .view)
        case 16, 17:
            guard let index = workers.indices.randomElement(using: &generator) else { return }
            try workers.remove(at: index).peer.kill()
            figures.kills += 1
        default:
            guard let index = workers.indices.randomElement(using: &generator) else { return }
            try workers[index].peer.signal(workers[index].isStopped ? SIGCONT : SIGSTOP)
            workers[index].isStopped.toggle()
            if workers[index].isStopped { figures.stops += 1 }
        }
    }

    private func start(_ task: Task, _ options: [String]) throws {
        let board = "board=\(Int.random(in: 0..<4, using: &generator))"
        switch task {
        case .source:
            try add("test-peer", ["source", place.socket, board, "first-byte=\(Self.patience)"] + options, task)
        case .storm: try add("test-peer", ["storm", place.socket] + options, task)
        default:
            // A source may be stopped after its first byte.
            try add("test-peer", ["destination", place.socket, board, "timeout=\(2 * Self.patience)"] + options, task)
        }
    }

    private func startCommand(_ arguments: [String], _ task: Task) throws {
        try add("pasteboard", arguments, task)
    }

    private func add(_ program: String, _ arguments: [String], _ task: Task) throws {
        let settings = ["PASTEBOARD_SOCKET": place.socket, "PASTEBOARD_AUTOSTART": "0"]
        let environment = place.environment.merging(settings) { $1 }
        workers.append(Worker(peer: try PeerProcess(program, arguments, environment: environment), task: task))
        figures.processes += 1
    }

    // MARK: Ends

    private func concludeAll() throws {
        for worker in workers where worker.isStopped { try worker.peer.signal(SIGCONT) }
        let all = workers
        workers = []
        for worker in all { try conclude(worker) }
        for name in place.directory.names() where name.hasPrefix(Self.output) {
            #expect(try place.directory.contents(of: name) == fileBytes, comment)
            try System.unlink(place.directory[name])
        }
    }

    /// Waits for the end of a process that has to end. Kills the others.
    private func conclude(_ worker: Worker) throws {
        if worker.isStopped { try worker.peer.signal(SIGCONT) }
        switch worker.task {
        case .destination, .storm:
            do {
                let outcome = try worker.peer.outcome()
                #expect(!outcome.contains("damaged") && !outcome.contains("protocol-violation"), comment)
            } catch ProcessRunner.Trouble.endedEarly(let errors) {
                // The peer could not connect while the broker restarted.
                #expect(errors.hasPrefix("test-peer: "), "\(errors)")
            }
            try worker.peer.end()
        case .command:
            try worker.peer.finish()
        case .source, .holdingDestination, .view:
            try worker.peer.end()
        }
    }

    /// Ends the broker while processes use it, and starts its successor.
    private func restart() throws {
        try countLoads()
        try broker.runner.child.kill(SIGTERM)
        for worker in workers where worker.isStopped { try worker.peer.signal(SIGCONT) }
        try broker.expectEnd()
        try concludeAll()
        try canary.end()
        figures.restarts += 1
        figures.memory = []
        broker = try BrokerProcess(at: place)
        canary = try Canary(at: broker)
        holdings = try BrokerHoldings(of: broker, to: canary)
    }

    private func countLoads() throws {
        for counter in try canary.status().compactMap(\.counter) {
            switch counter.name {
            case "loads-done": figures.loadsDone += counter.value ?? 0
            case "loads-failed": figures.loadsFailed += counter.value ?? 0
            case "violations": #expect(counter.value == 0, comment)
            default: break
            }
        }
    }

    // MARK: Memory

    /// Compares the memory with that after the first round, in which everything was allocated once.
    private func checkMemory() throws {
        let status = String(
            decoding: try System.contents(of: "/proc/\(broker.runner.child.id)/status", limit: 8192),
            as: UTF8.self
        )
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let memory = try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        figures.memory.append(memory)
        figures.mostGrowth = max(figures.mostGrowth, memory - (figures.memory.first ?? memory))
    }
}
