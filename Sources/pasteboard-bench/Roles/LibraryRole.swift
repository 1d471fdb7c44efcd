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
            let publication = try await board(socket).write([provider])
            try Role.ready()
            _ = try await publication.ended()
        }
    }

    static func destination(_ socket: String, _ work: DestinationWork) throws {
        run {
            var providers: [ItemProvider] = []
            for _ in 0..<work.connections {
                guard let provider = try await board(socket).contents().items.first?.itemProvider else {
                    throw BenchError("the pasteboard is empty")
                }
                providers.append(provider)
            }
            if work.shape != .bulk { _ = try await load(work, work.warmUpCount, providers) }
            let measurement = try await Measurement(relay: work.relay) {
                try await load(work, work.count, providers)
            }
            try Role.report(measurement)
        }
    }

    /// Reports as `FileDestination` does, but the mapped bytes are the data of a load.
    static func fileDestination(_ part: Part) throws {
        let count = try part.number(1)
        let bytes = try part.number(3)
        let relay = pid_t(truncatingIfNeeded: try part.number(4))
        run {
            guard let provider = try await board(part.socket).contents().items.first?.itemProvider else {
                throw BenchError("the pasteboard is empty")
            }
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

    /// A pasteboard on a new connection.
    private static func board(_ socket: String) -> Pasteboard {
        Pasteboard(name: .general, connection: PasteboardConnection(socketPath: socket, startsBroker: false))
    }

    private static func load(
        _ work: DestinationWork,
        _ count: Int,
        _ providers: [ItemProvider]
    ) async throws -> [UInt64] {
        switch work.shape {
        case .each: return try await each(work, count, providers[0])
        case .pipelined: try await inTasks([ItemProvider](repeating: providers[0], count: LoadShape.depth), count)
        case .connections: try await inTasks(providers, count)
        case .bulk:
            for _ in 0..<count {
                var received = 0
                for try await chunk in try await providers[0].loadBytes(for: .data).value { received += chunk.count }
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

    /// Runs one task for each provider, which loads its share one after the other.
    private static func inTasks(_ providers: [ItemProvider], _ count: Int) async throws {
        let share = count / providers.count
        try await withThrowingTaskGroup { group in
            for provider in providers {
                group.addTask {
                    for _ in 0..<share { _ = try await provider.loadData(for: .data) }
                }
            }
            try await group.waitForAll()
        }
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
