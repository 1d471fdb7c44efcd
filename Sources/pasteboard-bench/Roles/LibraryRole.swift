import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport

/// Source and destination that use the asynchronous library.
enum LibraryRole {
    static func source(_ socket: String, bytes: Int) -> Never {
        run {
            let data = Data(repeating: 7, count: bytes)
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { data }
            let publication = try await Pasteboard(name: .general, connection: connection(socket)).write([provider])
            try Role.say("ready")
            _ = try await publication.outcome()
        }
    }

    static func destination(_ socket: String, _ work: LoadWork, relay: pid_t) -> Never {
        run {
            var providers: [ItemProvider] = []
            for _ in 0..<work.shape.connections {
                let provider = try await provider(connection(socket))
                providers += Array(repeating: provider, count: work.shape.depth)
            }
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

    /// Runs one task for each provider, which loads its share one after the other. Returns the times of the loads.
    private static func load(_ work: LoadWork, _ count: Int, _ providers: [ItemProvider]) async throws -> [UInt64] {
        try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for provider in providers { group.addTask { try await load(work, count / providers.count, provider) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private static func load(_ work: LoadWork, _ count: Int, _ provider: ItemProvider) async throws -> [UInt64] {
        var times: [UInt64] = []
        for _ in 0..<count {
            let start = MonotonicClock.now()
            var received = 0
            if work.shape == .bulk {
                for try await chunk in try await provider.loadBytes(for: .data) { received += chunk.count }
            } else {
                received = try await provider.loadData(for: .data).count
            }
            times.append(MonotonicClock.now() - start)
            guard received == work.bytes else { throw BenchError("received \(received) of \(work.bytes) bytes") }
        }
        return times
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
