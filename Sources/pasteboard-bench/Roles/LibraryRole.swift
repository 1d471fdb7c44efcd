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
            _ = try await publication.ended()
        }
    }

    /// - Parameter onExecutor: whether the tasks run on the executor of their connection.
    static func destination(_ socket: String, _ work: LoadWork, relay: pid_t, onExecutor: Bool) throws {
        run {
            var ends: [End] = []
            for _ in 0..<work.connections {
                let connection = connection(socket)
                ends.append((try await provider(connection), onExecutor ? connection.executor : nil))
            }
            _ = try await load(work, work.warmUpCount, ends)
            let measurement = Measurement(relay: relay)
            try measurement.report(try await load(work, work.count, ends))
        }
    }

    /// The item of a connection, and the executor of the tasks that load it.
    private typealias End = (provider: ItemProvider, executor: (any TaskExecutor)?)

    private static func connection(_ socket: String) -> PasteboardConnection {
        PasteboardConnection(socketPath: socket, startsBroker: false)
    }

    private static func provider(_ connection: PasteboardConnection) async throws -> ItemProvider {
        let contents = try await Pasteboard(name: .general, connection: connection).contents()
        guard let provider = contents.items.first?.itemProvider else { throw BenchError("the pasteboard is empty") }
        return provider
    }

    private static func load(_ work: LoadWork, _ count: Int, _ ends: [End]) async throws -> [UInt64] {
        switch work.shape {
        case .each, .descriptor:
            // Even a preference for no executor makes a task slower.
            let (provider, executor) = ends[0]
            guard let executor else { return try await each(work, count, provider) }
            return try await withTaskExecutorPreference(executor) { try await each(work, count, provider) }
        case .pipelined: try await inTasks([End](repeating: ends[0], count: LoadShape.depth), count)
        case .connections: try await inTasks(ends, count)
        case .bulk:
            for _ in 0..<count {
                var received = 0
                let chunks = try await ends[0].provider.loadBytes(for: .data).value
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
            let received = try await provider.loadData(for: .data).value.count
            times.append(MonotonicClock.now() - start)
            try work.check(received)
        }
        return times
    }

    /// Runs one task for each end, which loads its share one after the other.
    private static func inTasks(_ ends: [End], _ count: Int) async throws {
        let share = count / ends.count
        try await withThrowingTaskGroup { group in
            for end in ends {
                if let executor = end.executor {
                    group.addTask(executorPreference: executor) { try await load(end.provider, share) }
                } else {
                    group.addTask { try await load(end.provider, share) }
                }
            }
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
