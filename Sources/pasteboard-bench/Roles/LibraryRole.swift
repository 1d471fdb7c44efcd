import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport

/// The ends on the async library.
enum LibraryRole {
    static func source(_ socket: String, bytes: Int) throws {
        self.run {
            let data = Data(repeating: 7, count: bytes)
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { data }
            let board = Pasteboard(name: .general, connection: Self.connection(socket))
            let publication = try await board.write([provider])
            try Role.ready()
            _ = await publication.ended()
        }
    }

    static func destination(_ socket: String, _ work: DestinationWork) throws {
        self.run {
            let board = Pasteboard(name: .general, connection: Self.connection(socket))
            guard let provider = try await board.contents().items.first?.itemProvider else {
                throw BenchError("the pasteboard is empty")
            }
            try Role.report(try await self.measure(work, provider))
        }
    }

    private static func measure(_ work: DestinationWork, _ provider: ItemProvider) async throws -> Measurement {
        switch work.shape {
        case .each:
            _ = try await self.each(provider, work.warmUpCount, work.bytes)
            return try await Measurement(relay: work.relay) { try await self.each(provider, work.count, work.bytes) }
        case .pipelined:
            try await self.pipelined(provider, work.warmUpCount)
            return try await Measurement(relay: work.relay) {
                try await self.pipelined(provider, work.count)
                return []
            }
        case .bulk:
            return try await Measurement(relay: work.relay) {
                var received = 0
                for try await chunk in try await provider.loadBytes(for: .data).value { received += chunk.count }
                guard received == work.bytes else { throw BenchError("\(received) of \(work.bytes) bytes came") }
                return []
            }
        }
    }

    private static func connection(_ socket: String) -> PasteboardConnection {
        PasteboardConnection(socketPath: socket, startsBroker: false)
    }

    private static func each(_ provider: ItemProvider, _ count: Int, _ bytes: Int) async throws -> [UInt64] {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = MonotonicClock.now()
            let received = try await provider.loadData(for: .data).value.count
            times.append(MonotonicClock.now() - start)
            guard received == bytes else { throw BenchError("\(received) of \(bytes) bytes came") }
        }
        return times
    }

    private static func pipelined(_ provider: ItemProvider, _ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<count / 64 { _ = try await provider.loadData(for: .data) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Runs async work from a synchronous main, which else would end in the dispatch loop.
    private static func run(_ body: @escaping @Sendable () async throws -> Void) -> Never {
        Task {
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
