import BlockingClient
import FoundationEssentials
import Glibc
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A hundred clients of a broker that is killed again and again.
final class BrokerDeaths {
    private static let copiers = 60
    private static let loaders = 24
    private static let sources = 8
    /// The sources whose handlers wait until the broker was killed.
    private static let waitingSources = 4
    /// The loads that wait at each of these.
    private static let waitingLoads = 3
    private static let offers = 4

    /// The rounds after which other sources take over: the delays of an offer that has lost many brokers grow to 30 s.
    private static let roundsOfSources = 10

    /// A promise that has to come back.
    private struct Kept {
        let promise: DeathLoader.Promise
        let changeCount: UInt64
        let epoch: UInt64
    }

    let ledger: DeathLedger
    private(set) var rounds = 0
    private let broker: KeptBroker
    private var generator: SeededGenerator
    private var reader: PasteboardConnection
    private var sources: [DeathSource] = []
    private var waiting: [DeathSource] = []
    private var offers: [ProcessRunner] = []
    private var kept: [Kept] = []
    private var threads: [SystemThread] = []
    private var loads = 0
    private var asks = 0

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        ledger = DeathLedger(try BrokerPlace(), copiers: Self.copiers, seed: seed)
        broker = try KeptBroker(ledger)
        reader = PasteboardConnection(socketPath: broker.place.socket, startsBroker: false)
    }

    /// Starts all clients.
    func start() async throws {
        try await startSources()
        for number in 0..<Self.copiers {
            threads.append(
                try SystemThread(name: "copier \(number)") { [ledger] in
                    var copier = DeathCopier(number, ledger: ledger)
                    copier.run()
                }
            )
        }
        for number in 0..<Self.loaders {
            threads.append(
                try SystemThread(name: "loader \(number)") { [ledger] in
                    var loader = DeathLoader(number, ledger: ledger, copiers: Self.copiers)
                    loader.run()
                }
            )
        }
    }

    // MARK: Sources

    private func startSources() async throws {
        reader = PasteboardConnection(socketPath: broker.place.socket, startsBroker: false)
        for number in 0..<Self.sources {
            sources.append(try await source("promise \(number) from round \(rounds)"))
        }
        for number in 0..<Self.waitingSources {
            let source = try await source("wait \(number) from round \(rounds)") { [ledger] in
                let gate = ledger.gate
                ledger.record { $0.asks += 1 }
                await gate.wait()
            }
            waiting.append(source)
        }
        let offered = try (0..<Self.offers).map { try offer("offer \($0) from round \(rounds)") }
        let promises = sources.map(\.promise) + offered
        let observer = try broker.connect()
        kept = try (promises + waiting.map(\.promise)).map { promise in
            let contents = try observer.listing(of: promise.board).contents
            return Kept(
                promise: promise,
                changeCount: try #require(contents.changeCount),
                epoch: try #require(contents.epoch)
            )
        }
        ledger.record { $0.promises = promises }
    }

    /// - Parameter handler: called before the bytes are given.
    private func source(
        _ board: String,
        handler: @escaping @Sendable () async -> Void = {}
    ) async throws -> DeathSource {
        let offset = Int.random(in: 0..<DeathSource.size, using: &generator)
        return try await DeathSource(board, offset: offset, ledger: ledger, handler: handler)
    }

    private func offer(_ board: String) throws -> DeathLoader.Promise {
        let settings = ["PASTEBOARD_SOCKET": broker.place.socket, "PASTEBOARD_AUTOSTART": "0"]
        let offer = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["offer", "--board", board, "-t", "text=echo \(board)"],
            environment: broker.place.environment.merging(settings) { $1 }
        )
        try offer.waitForErrors(containing: "offering ")
        offers.append(offer)
        return DeathLoader.Promise(board: board, type: "public.utf8-plain-text", bytes: Array("\(board)\n".utf8))
    }

    private func endSources() async throws {
        ledger.record { $0.promises = [] }
        for source in sources + waiting { await source.close() }
        await reader.close()
        for offer in offers { try offer.child.kill(SIGTERM) }
        for offer in offers { _ = try offer.finish() }
        (sources, waiting, offers, kept) = ([], [], [], [])
    }

    // MARK: Rounds

    /// Kills the broker while its clients work, and verifies what its successor has.
    func round() async throws {
        if rounds > 0, rounds % Self.roundsOfSources == 0 {
            try await endSources()
            try await startSources()
        }
        rounds += 1
        let before = ledger.now
        try await startWaitingLoads()
        let work = before.work + Int.random(in: 20...300, using: &generator)
        try ledger.wait(for: "work") { $0.work >= work }
        try broker.kill()
        // Sometimes the next broker dies, too: before it serves, or soon after.
        if Int.random(in: 0..<3, using: &generator) == 0 {
            if Bool.random(using: &generator) { _ = try broker.connect().status() }
            try broker.kill()
        }
        ledger.record { $0.deaths += 1 }
        ledger.gate.open()
        let deaths = before.deaths + 1
        try ledger.wait(for: "the contents of all copiers") { $0.verified.allSatisfy { $0 >= deaths } }
        try verifyPromises()
        let loads = self.loads
        try ledger.wait(for: "the ends of all loads") { $0.results.count == loads }
        try #require(ledger.now.faults.isEmpty)
    }

    /// Starts loads, and returns when the handlers of their sources wait.
    private func startWaitingLoads() async throws {
        ledger.closeGate()
        let asks = ledger.now.asks
        for source in waiting {
            let contents = try await Pasteboard(name: Pasteboard.Name(source.board), connection: reader).contents()
            let provider = try #require(contents.items.first).itemProvider
            for _ in 0..<Self.waitingLoads {
                let number = loads
                loads += 1
                Task { [ledger, bytes = source.bytes] in
                    do throws(PasteboardError) {
                        ledger.ended(number, Array(try await provider.loadData(for: .png)), nil, expecting: bytes)
                    } catch {
                        ledger.ended(number, nil, error, expecting: bytes)
                    }
                }
            }
        }
        let count = asks + Self.waitingSources * Self.waitingLoads
        try ledger.wait(for: "requests to the waiting sources") { $0.asks >= count }
    }

    /// Waits until the living sources have written their promises again.
    private func verifyPromises() throws {
        let observer = try broker.connect()
        for kept in kept {
            let board = kept.promise.board
            var listing = try observer.listing(of: board)
            try eventually("the return of \(board)") {
                if listing.items.isEmpty { listing = try observer.listing(of: board) }
                return !listing.items.isEmpty
            }
            #expect(listing.contents.changeCount == kept.changeCount && listing.contents.epoch == kept.epoch)
            let bytes = try observer.loadBytes(Load(of: kept.promise.type, from: board)).bytes
            #expect(bytes == kept.promise.bytes, "\(board)")
        }
        for source in sources + waiting { #expect(source.publication.isCurrent, "\(source.board)") }
    }

    // MARK: The end

    /// Ends all clients, and verifies that the broker and its directory hold only what was acknowledged last.
    func end() async throws {
        endClients()
        let entries = ledger.now
        try #require(entries.faults.isEmpty)
        // One call of the completion handler for each load.
        for load in 0..<loads { #expect(entries.results[load]?.count == 1, "load \(load)") }
        let observer = try broker.connect()
        let bytes = UInt64(entries.kept.reduce(0, +))
        let files = entries.saved.reduce(0, +)
        var holding = try self.holding(over: observer)
        do {
            try await eventually("the holdings of what was acknowledged") {
                holding = try self.holding(over: observer)
                return holding.bytes == bytes && holding.files == files
            }
        } catch is NeverHappened {}
        #expect(holding.bytes == bytes)
        #expect(holding.files == files)
        try await endSources()
        try broker.end()
    }

    private func holding(over observer: BlockingConnection) throws -> (bytes: UInt64?, files: Int) {
        let counters = try observer.status().compactMap(\.counter)
        return (counters.first { $0.name == "bytes-kept" }?.value, try broker.files())
    }

    /// Ends the threads, also those that wait for a broker that hangs.
    func abandon() {
        broker.abandon()
        ledger.gate.open()
        endClients()
    }

    private func endClients() {
        ledger.record { $0.isOver = true }
        for thread in threads { thread.join() }
        threads = []
    }
}
