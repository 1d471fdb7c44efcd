import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.inProcess)
struct LoadTests {
    /// Publishes one representation, and runs a body with the provider that a destination gets.
    private func withItem<Result>(
        _ register: (ItemProvider) -> Void,
        _ body: (ItemProvider, Pasteboard, TestBroker) async throws -> Result
    ) async throws -> Result {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            register(provider)
            let source = broker.pasteboard()
            let publication = try await source.write([provider])
            defer { withExtendedLifetime(publication) {} }
            let item = try #require(try await broker.pasteboard().contents().items.first)
            return try await body(item.itemProvider, source, broker)
        }
    }

    @Test("64 MiB arrive unchanged, as data and as chunks")
    func big() async throws {
        // The period is a prime number, and so no multiple of a buffer size: a chunk at a wrong offset has wrong bytes.
        let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        var data = Data()
        while data.count < 64 << 20 { data += period }
        data.count = 64 << 20
        let sent = data
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) { sent }
        } _: { provider, _, _ in
            let progress = LoadProgress()
            let loaded = try await provider.loadData(for: .data, progress: progress)
            #expect(loaded.value == sent)
            #expect(progress.isFinished)
            #expect(progress.completedUnitCount == 64 << 20)

            let chunks = try await provider.loadBytes(for: .data).value
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
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) { Data(count: count) }
        } _: { provider, _, _ in
            let progress = LoadProgress()
            #expect(try await provider.loadData(for: .data, progress: progress).value == Data(count: count))
            #expect(progress.isFinished)
            var sum = 0
            for try await chunk in try await provider.loadBytes(for: .data).value { sum += chunk.count }
            #expect(sum == count)
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
                    group.addTask { (item.id, try await item.itemProvider.loadData(for: .text).value) }
                }
                for try await (index, data) in group {
                    #expect(data == Data(String(repeating: "\(index) ", count: 2000).utf8))
                }
            }
        }
    }

    @Test("handlers that block run concurrently", .tags(.f48))
    func blockingHandlers() async throws {
        let inside = Counter()
        let all = Semaphore()
        try await withItem { provider in
            provider.registerDataRepresentation(forTypeIdentifier: "public.data") { completion in
                // No handler continues before all eight are running.
                if inside.increment() == 8 { for _ in 0..<8 { all.signal() } }
                all.wait()
                completion(Data("x".utf8), nil)
                return nil
            }
        } _: { provider, _, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await provider.loadData(for: .data) } }
                try await group.waitForAll()
            }
            #expect(inside.value == 8)
        }
    }

    @Test("a load of a missing type fails at once, and the error names the available types")
    func typeUnavailable() async throws {
        let calls = Counter()
        try await withItem { provider in
            provider.registerDataRepresentation(for: .plainText) {
                calls.increment()
                return Data()
            }
        } _: { provider, _, _ in
            // A subtype of an available type is not available.
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .utf8PlainText) }
            #expect(error?.code == .typeUnavailable)
            #expect(error?.itemProviderErrorCode == -1000)
            #expect(error?.message.contains("public.plain-text") == true)
            #expect(calls.value == 0)
        }
    }

    // MARK: Handlers that fail

    private enum Trouble: Int, Error {
        case paper = 7
    }

    @Test("a handler's error arrives with its domain, code and message")
    func handlerThrows() async throws {
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) { throw Trouble.paper }
            provider.registerDataRepresentation(for: .png) { completion in
                completion(Data("ignored".utf8), Trouble.paper)
                completion(Data("ignored".utf8), nil)
                return nil
            }
        } _: { provider, _, _ in
            for type in [UniformType.png, .data] {
                let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: type) }
                #expect(error?.code == .sourceFailed)
                #expect(error?.sourceError?.domain.hasSuffix("Trouble") == true)
                #expect(error?.sourceError?.code == 7)
                #expect(error?.sourceError?.message == "paper")
            }
        }
    }

    @Test("a handler that completes without bytes or error, or releases its completion, has failed", .tags(.f48))
    func handlerBreaksContract() async throws {
        try await withItem { provider in
            provider.registerDataRepresentation(for: .png) { completion in
                completion(nil, nil)
                return nil
            }
            provider.registerDataRepresentation(for: .gif) { _ in nil }
        } _: { provider, _, _ in
            for type in [UniformType.png, .gif] {
                let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: type) }
                #expect(error?.code == .sourceFailed)
                #expect(error?.itemProviderErrorCode == -1)
            }
        }
    }

    // MARK: Ends that others cause

    @Test(
        "a load that has begun is finished after its contents were replaced, and a new one is superseded",
        .tags(.f34)
    )
    func replaced() async throws {
        let asked = Gate()
        let replaced = Gate()
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) {
                asked.open()
                await replaced.wait()
                return Data("still here".utf8)
            }
        } _: { provider, source, _ in
            async let loaded = provider.loadData(for: .data)
            await asked.wait()
            try await source.write([.text("next")])
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
            #expect(error?.code == .superseded)
            replaced.open()
            let data = try await loaded.value
            #expect(data == Data("still here".utf8))
        }
    }

    @Test("the end of the source ends its loads, and its handler is cancelled")
    func sourceGone() async throws {
        let asked = Gate()
        let cancelled = Gate()
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) {
                asked.open()
                return await withTaskCancellationHandler {
                    await cancelled.wait()
                    return Data()
                } onCancel: {
                    cancelled.open()
                }
            }
        } _: { provider, source, _ in
            let load = Task { try await provider.loadData(for: .data) }
            await asked.wait()
            await source.connection.close()
            let error = await #expect(throws: PasteboardError.self) { try await load.value }
            #expect(error?.code == .sourceGone)
            await cancelled.wait()
        }
    }

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
            let error = await #expect(throws: PasteboardError.self) { try await load.value }
            #expect(error?.code == .brokerRestarted)
            #expect(publication.isCurrent)
            never.open()

            let none = await #expect(throws: PasteboardError.self) { try await pasteboard.contents() }
            #expect(none?.code == .brokerUnavailable)
            let second = try broker.restart()
            #expect(try await pasteboard.contents().items.count == 1)
            // A provider of the first broker finds its contents at the second one.
            #expect(try await item.itemProvider.loadData(for: .data).value.isEmpty)
            try await second.stop()
        }
    }

    @Test("a closed connection refuses requests")
    func closed() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            _ = try await pasteboard.contents()
            await pasteboard.connection.close()
            let error = await #expect(throws: PasteboardError.self) { try await pasteboard.contents() }
            #expect(error?.code == .brokerUnavailable)
        }
    }

    @Test("a load ends at its timeout")
    func timeout() async throws {
        let (asked, cancelled) = (Gate(), Gate())
        try await withItem { provider in
            provider.registerDataRepresentation(for: .data) {
                asked.open()
                return await withTaskCancellationHandler {
                    await cancelled.wait()
                    return Data()
                } onCancel: {
                    cancelled.open()
                }
            }
        } _: { provider, _, _ in
            let error = await #expect(throws: PasteboardError.self) {
                try await provider.loadData(for: .data, timeout: .seconds(1))
            }
            #expect(error?.code == .timeout)
            // The handler may not have begun by then.
            if asked.isOpen { await cancelled.wait() }
        }
    }
}
