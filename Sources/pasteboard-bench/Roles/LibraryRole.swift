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

    static func destination(_ socket: String, _ shape: BenchCase.Shape, count: Int, bytes: Int) throws {
        self.run {
            let board = Pasteboard(name: .general, connection: Self.connection(socket))
            guard let provider = try await board.contents().items.first?.itemProvider else {
                throw BenchError("the pasteboard is empty")
            }
            let times: [UInt64]
            switch shape {
            case .each:
                _ = try await self.each(provider, count / 10, bytes)
                times = try await self.each(provider, count, bytes)
            case .pipelined:
                try await self.pipelined(provider, count / 10, bytes)
                let start = MonotonicClock.now()
                try await self.pipelined(provider, count, bytes)
                times = [MonotonicClock.now() - start]
            case .bulk:
                let start = MonotonicClock.now()
                var received = 0
                for try await chunk in try await provider.loadBytes(for: .data).value { received += chunk.count }
                guard received == bytes else { throw BenchError("\(received) of \(bytes) bytes came") }
                times = [MonotonicClock.now() - start]
            }
            try Role.report(times)
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

    private static func pipelined(_ provider: ItemProvider, _ count: Int, _ bytes: Int) async throws {
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
