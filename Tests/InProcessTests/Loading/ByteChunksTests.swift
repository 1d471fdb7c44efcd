import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess)
struct ByteChunksTests {
    private func withSource(
        _ data: Data,
        _ body: (ItemProvider, Gate) async throws -> Void
    ) async throws {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { data }
            let source = broker.pasteboard()
            let publication = try await source.write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            try await body(item.itemProvider, Gate())
            withExtendedLifetime(publication) {}
        }
    }

    @Test("a reader that does not read delays only its own load, and gets all bytes later", .tags(.f37))
    func backPressure() async throws {
        let data = Data(repeating: 5, count: 32 << 20)
        try await withSource(data) { provider, _ in
            let progress = LoadProgress()
            let slow = try await provider.loadBytes(for: .data, progress: progress).value
            var iterator = slow.makeAsyncIterator()
            var count = try await iterator.next()?.count ?? 0
            // Meanwhile other loads on the same connection complete.
            for _ in 0..<3 {
                let other = try await provider.loadData(for: .data)
                #expect(other.value.count == data.count)
            }
            // No more than one credit window is here or in transfer.
            #expect(progress.completedUnitCount <= 4 << 20)
            while let chunk = try await iterator.next() { count += chunk.count }
            #expect(count == data.count)
            #expect(progress.isFinished)
        }
    }

    @Test("if a source ends too early, the chunks end with an error and not as complete")
    func truncated() async throws {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { Data(count: 32 << 20) }
            let source = broker.pasteboard()
            try await source.write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            var iterator = try await item.itemProvider.loadBytes(for: .data).value.makeAsyncIterator()
            _ = try await iterator.next()
            await source.connection.close()
            let error = await #expect(throws: PasteboardError.self) {
                while try await iterator.next() != nil {}
            }
            #expect([.sourceGone, .sourceTruncated].contains(error?.code))
        }
    }

    @Test("a task that is cancelled while it waits for a chunk cancels the load")
    func cancelledReader() async throws {
        let waits = Gate()
        try await withSource(Data(count: 32 << 20)) { provider, _ in
            let progress = LoadProgress()
            let chunks = try await provider.loadBytes(for: .data, progress: progress).value
            let reader = Task {
                var count = 0
                for try await chunk in chunks {
                    count += chunk.count
                    waits.open()
                    try? await eventually("the cancellation") { Task.isCancelled }
                }
                return count
            }
            await waits.wait()
            reader.cancel()
            let error = await #expect(throws: PasteboardError.self) { try await reader.value }
            #expect(error?.code == .cancelled)
            #expect(!progress.isFinished)
        }
    }
}
