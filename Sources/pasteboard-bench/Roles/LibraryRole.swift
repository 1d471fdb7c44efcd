import CBenchFloor
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
            try Role.ready()
            _ = try await publication.ended()
        }
    }

    /// - Parameter onExecutor: whether the tasks run on the executor of their connection.
    static func destination(_ socket: String, _ work: DestinationWork, onExecutor: Bool = false) throws {
        run {
            var ends: [End] = []
            for _ in 0..<work.connections {
                let connection = connection(socket)
                ends.append(End(try await provider(connection), executor: onExecutor ? connection.executor : nil))
            }
            if work.shape != .bulk { _ = try await load(work, work.warmUpCount, ends) }
            let measurement = try await Measurement(relay: work.relay) {
                try await load(work, work.count, ends)
            }
            try Role.report(measurement)
        }
    }

    /// The item of a connection, and the executor of the tasks that load it.
    private struct End {
        let provider: ItemProvider
        let executor: (any TaskExecutor)?

        init(_ provider: ItemProvider, executor: (any TaskExecutor)?) {
            self.provider = provider
            self.executor = executor
        }
    }

    /// Reports as `FileDestination` does, but the mapped bytes are the data of a load.
    static func fileDestination(_ part: Part) throws {
        let count = try part.number(1)
        let bytes = try part.number(3)
        let relay = pid_t(truncatingIfNeeded: try part.number(4))
        run {
            let provider = try await provider(connection(part.socket))
            var times: [Double] = []
            // Without descriptors the full number of loads would take too long.
            let deadline = MonotonicClock.deadline(milliseconds: 3_000)
            let before = bench_processor_time(relay)
            while times.count < count, times.isEmpty || MonotonicClock.now() < deadline {
                let start = MonotonicClock.now()
                let data = try await provider.loadData(for: .data).value
                times.append(Double(MonotonicClock.now() - start))
                guard data.count == bytes, data.last == 7 else { throw BenchError("received the wrong bytes") }
            }
            let broker = Double(bench_processor_time(relay) - before) / Double(times.count)
            try Role.say("0 \(times.median) 0 \(broker)")
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

    private static func load(_ work: DestinationWork, _ count: Int, _ ends: [End]) async throws -> [UInt64] {
        switch work.shape {
        case .each:
            // Even a preference for no executor makes a task slower.
            let (provider, executor) = (ends[0].provider, ends[0].executor)
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

    private static func each(_ work: DestinationWork, _ count: Int, _ provider: ItemProvider) async throws -> [UInt64] {
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
                try? System.write(Array("pasteboard-bench: \(error)\n".utf8).span, to: 2)
                exit(1)
            }
        }
        while true { pause() }
    }
}
