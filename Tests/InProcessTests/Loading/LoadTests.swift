import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.inProcess)
struct LoadTests {
    @Test("64 MiB arrive unchanged, as data and as chunks")
    func big() async throws {
        // The period is a prime number, and so no multiple of a buffer size: a chunk at a wrong offset has wrong bytes.
        let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        var data = Data()
        while data.count < 64 << 20 { data += period }
        data.count = 64 << 20
        let sent = data
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { sent }
        try await LoadPlace.there.with(provider) { provider in
            let progress = LoadProgress()
            let loaded = try await provider.loadData(for: .data, progress: progress)
            #expect(loaded == sent)
            #expect(progress.isFinished)
            #expect(progress.completedUnitCount == 64 << 20)

            let chunks = try await provider.loadBytes(for: .data)
            #expect(chunks.byteCount == 64 << 20)
            var joined = Data()
            for try await chunk in chunks {
                #expect(chunk.startIndex == 0)
                #expect(!chunk.isEmpty)
                joined.append(chunk)
            }
            #expect(joined == sent)
        }
    }

    @Test("representations of zero bytes and of one byte are loaded completely", arguments: [0, 1])
    func small(count: Int) async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { Data(count: count) }
        try await LoadPlace.there.with(provider) { provider in
            let progress = LoadProgress()
            #expect(try await provider.loadData(for: .data, progress: progress) == Data(count: count))
            #expect(progress.isFinished)
            var sum = 0
            for try await chunk in try await provider.loadBytes(for: .data) { sum += chunk.count }
            #expect(sum == count)
        }
    }

    @Test("a reader that does not read delays only its own load, and gets all bytes later", .tags(.f37))
    func backPressure() async throws {
        let data = Data(repeating: 5, count: 32 << 20)
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { data }
        try await LoadPlace.there.with(provider) { provider in
            let progress = LoadProgress()
            let slow = try await provider.loadBytes(for: .data, progress: progress)
            var iterator = slow.makeAsyncIterator()
            var count = try await iterator.next()?.count ?? 0
            // Meanwhile other loads on the same connection complete.
            for _ in 0..<3 {
                let other = try await provider.loadData(for: .data)
                #expect(other.count == data.count)
            }
            // No more than one credit window is here or in transfer.
            #expect(progress.completedUnitCount <= 4 << 20)
            while let chunk = try await iterator.next() { count += chunk.count }
            #expect(count == data.count)
            #expect(progress.isFinished)
        }
    }

    @Test("Each of 100 simultaneous loads gets its own bytes")
    func concurrent() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            try await source.write((0..<100).map { .text(String(repeating: "\($0) ", count: 2000)) })
            let items = try await broker.pasteboard().contents().items
            try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                for item in items {
                    group.addTask { (item.id, try await item.itemProvider.loadData(for: .text)) }
                }
                for try await (index, data) in group {
                    #expect(data == Data(String(repeating: "\(index) ", count: 2000).utf8))
                }
            }
        }
    }

    @Test(
        "100 simultaneous loads call a once-and-kept handler once, and get the same bytes",
        arguments: LoadPlace.brokers
    )
    func once(place: LoadPlace) async throws {
        let (calls, gate) = (Counter(), Gate())
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data, policy: .onceAndKept) {
            let number = calls.increment()
            await gate.wait()
            return Data(repeating: UInt8(truncatingIfNeeded: number), count: 100_000)
        }
        try await place.with(provider) { provider in
            let results = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<100 { group.addTask { try await provider.loadData(for: .data) } }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == 100 && Set(results).count == 1 && results[0].count == 100_000)
            let loaded = try await provider.loadData(for: .data)
            #expect(loaded == results[0])
            #expect(calls.value == 1)
        }
    }

    @Test("handlers that block run concurrently", .tags(.f48))
    func blockingHandlers() async throws {
        let inside = Counter()
        let all = Semaphore()
        let provider = ItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.data") { completion in
            // No handler continues before all eight are running.
            if inside.increment() == 8 { for _ in 0..<8 { all.signal() } }
            all.wait()
            completion(Data("x".utf8), nil)
            return nil
        }
        try await LoadPlace.there.with(provider) { provider in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await provider.loadData(for: .data) } }
                try await group.waitForAll()
            }
            #expect(inside.value == 8)
        }
    }

    // MARK: Ends that others cause

    @Test("the end of the broker ends its loads, and the next request finds another broker", .tags(.f82, .f83))
    func brokerGone() async throws {
        let asked = Gate()
        let never = Gate()
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) {
                asked.open()
                await never.wait()
                return Data()
            }
            let publication = try await pasteboard.write([provider])
            let item = try #require(try await pasteboard.contents().items.first)
            let load = Task { try await item.itemProvider.loadData(for: .data) }
            await asked.wait()
            try await broker.stop()
            await expectError(.brokerStopped) { try await load.value }
            #expect(publication.isCurrent)
            never.open()

            await expectError(.brokerUnavailable) { try await pasteboard.contents() }
            let second = try broker.restart()
            #expect(try await pasteboard.contents().items.count == 1)
            // A provider of the first broker finds its contents at the second one.
            #expect(try await item.itemProvider.loadData(for: .data).isEmpty)
            try await second.stop()
        }
    }

    @Test("a closed connection refuses requests")
    func closed() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            _ = try await pasteboard.contents()
            await pasteboard.connection.close()
            await expectError(.brokerUnavailable) { try await pasteboard.contents() }
        }
    }
}
