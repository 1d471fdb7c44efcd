import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport

/// Source and destination that use the asynchronous library.
enum LibraryRole {
    static func source(_ socket: String, bytes: Int) throws {
        run {
            let data = Data(repeating: 7, count: bytes)
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { data }
            let publication = try await Pasteboard(name: .general, connection: connection(socket)).write([provider])
            try Role.say("ready")
            _ = try await publication.outcome()
        }
    }

    static func destination(_ socket: String, _ work: LoadWork, relay: pid_t) throws {
        run {
            var providers: [ItemProvider] = []
            for _ in 0..<work.connections { providers.append(try await provider(connection(socket))) }
            _ = try await load(work, work.warmUpCount, providers)
            let measurement = Measurement(relay: relay)
            try measurement.report(try await load(work, work.count, providers))
        }
    }

    private static func connection(_ socket: String) -> PasteboardConnection {
        PasteboardConnection(socketPath: socket, startsBroker: false)
    }

    private static func provider(_ connection: PasteboardConnection) async throws -> ItemProvider {
        let contents = try await Pasteboard(name: .general, connection: connection).contents()
        guard let provider = contents.items.first?.itemProvider else { throw BenchError("the pasteboard is empty") }
        return provider
    }

    private static func load(_ work: LoadWork, _ count: Int, _ providers: [ItemProvider]) async throws -> [UInt64] {
        switch work.shape {
        case .each, .descriptor: return try await each(work, count, providers[0])
        case .pipelined: try await inTasks(Array(repeating: providers[0], count: LoadShape.depth), count)
        case .connections: try await inTasks(providers, count)
        case .bulk:
            for _ in 0..<count {
                var received = 0
                let chunks = try await providers[0].loadBytes(for: .data)
                for try await chunk in chunks { received += chunk.count }
                try work.check(received)
            }
        }
        return []
    }

    private static func each(_ work: LoadWork, _ count: Int, _ provider: ItemProvider) async throws -> [UInt64] {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = MonotonicClock.now()
            let received = try await provider.loadData(for: .data).count
            times.append(MonotonicClock.now() - start)
            try work.check(received)
        }
        return times
    }

    /// Runs one task for each provider, which loads its share one after the other.
    private static func inTasks(_ providers: [ItemProvider], _ count: Int) async throws {
        let share = count / providers.count
        try await withThrowingTaskGroup { group in
            for provider in providers { group.addTask { try await load(provider, share) } }
            try await group.waitForAll()
        }
    }

    private static func load(_ provider: ItemProvider, _ count: Int) async throws {
        for _ in 0..<count { _ = try await provider.loadData(for: .data) }
    }

    /// Runs asynchronous work from a synchronous main function. The task is detached, so that no part of it needs the
    /// main thread, which only waits.
    private static func run(_ body: @escaping @Sendable () async throws -> Void) -> Never {
        Task.detached {
            do {
                try await body()
                exit(0)
            } catch {
                Main.fail(error)
            }
        }
        while true { pause() }
    }
}
