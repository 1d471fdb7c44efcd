import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Handlers with the policy once-and-kept, compared with handlers that are called for every load.
@Suite(.inProcess)
struct OnceAndKeptTests {
    private static let loads = 100

    /// A provider whose handler counts its calls and waits for the gate, so that the loads can share one call.
    private func provider(_ policy: LoadPolicy, calls: Counter, gate: Gate? = nil) -> ItemProvider {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data, policy: policy) {
            let number = calls.increment()
            await gate?.wait()
            return Data(repeating: UInt8(truncatingIfNeeded: number), count: 100_000)
        }
        return provider
    }

    @Test(
        "100 simultaneous loads call a once-and-kept handler once, and get the same bytes",
        arguments: LoadPlace.allCases
    )
    func once(place: LoadPlace) async throws {
        let (calls, gate) = (Counter(), Gate())
        try await place.with(provider(.onceAndKept, calls: calls, gate: gate)) { provider in
            let results = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<Self.loads { group.addTask { try await provider.loadData(for: .data).value } }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == Self.loads && Set(results).count == 1 && results[0].count == 100_000)
            let loaded = try await provider.loadData(for: .data).value
            #expect(loaded == results[0])
            #expect(calls.value == 1)
        }
    }

    @Test("100 simultaneous loads call an every-time handler 100 times", arguments: LoadPlace.allCases)
    func everyTime(place: LoadPlace) async throws {
        let calls = Counter()
        try await place.with(provider(.everyTime, calls: calls)) { provider in
            let results = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<Self.loads { group.addTask { try await provider.loadData(for: .data).value } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(results).count == Self.loads && calls.value == Self.loads)
        }
    }

    @Test("After a failed call the handler is called again", arguments: LoadPlace.allCases)
    func failure(place: LoadPlace) async throws {
        struct Broken: Error {}
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data, policy: .onceAndKept) {
            if calls.increment() == 1 { throw Broken() }
            return Data("good".utf8)
        }
        try await place.with(provider) { provider in
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
            #expect(error?.code == .sourceFailed)
            for _ in 0..<2 {
                let loaded = try await provider.loadData(for: .data).value
                #expect(loaded == Data("good".utf8))
            }
            #expect(calls.value == 2)
        }
    }

    @Test(
        "Cancelling one of two joined loads ends only that load; cancelling the last one cancels the handler",
        arguments: LoadPlace.brokers
    )
    func cancelling(place: LoadPlace) async throws {
        let (cancelled, calls) = (Gate(), Counter())
        let provider = ItemProvider()
        provider.registerByteStream(for: .data, policy: .onceAndKept) { writer in
            guard calls.increment() == 1 else { return try await writer.write(Data("second".utf8)) }
            try await writer.write(Data([1]))
            // The handler never ends by itself.
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
        }
        try await place.with(provider) { provider in
            let (first, second) = (LoadProgress(), LoadProgress())
            var chunks = try await provider.loadBytes(for: .data, progress: first).value.makeAsyncIterator()
            var others = try await provider.loadBytes(for: .data, progress: second).value.makeAsyncIterator()
            // The first byte shows that a load has joined.
            let bytes = (try await chunks.next(), try await others.next())
            #expect(bytes.0 == Data([1]) && bytes.1 == Data([1]) && calls.value == 1)
            first.cancel()
            var error = await #expect(throws: PasteboardError.self) { try await chunks.next() }
            #expect(error?.code == .cancelled && !cancelled.isOpen)
            second.cancel()
            error = await #expect(throws: PasteboardError.self) { try await others.next() }
            #expect(error?.code == .cancelled)
            await cancelled.wait()
            let loaded = try await provider.loadData(for: .data).value
            #expect(loaded == Data("second".utf8))
        }
    }

    @Test("In the source's own process too, cancelling the last of two joined loads cancels the handler")
    func cancellingHere() async throws {
        let (started, cancelled, calls) = (Gate(), Gate(), Counter())
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data, policy: .onceAndKept) { completion in
            guard calls.increment() == 1 else {
                completion(Data("second".utf8), nil)
                return nil
            }
            let progress = LoadProgress()
            progress.cancellationHandler = {
                completion(nil, CancellationError())
                cancelled.open()
            }
            started.open()
            return progress
        }
        let (first, second) = (LoadProgress(), LoadProgress())
        let load = Task { try await provider.loadData(for: .data, progress: first) }
        await started.wait()
        let other = Task { try await provider.loadData(for: .data, progress: second) }
        second.cancel()
        let secondError = await #expect(throws: PasteboardError.self) { try await other.value }
        #expect(secondError?.code == .cancelled && !cancelled.isOpen)
        first.cancel()
        let firstError = await #expect(throws: PasteboardError.self) { try await load.value }
        #expect(firstError?.code == .cancelled)
        await cancelled.wait()
        let loaded = try await provider.loadData(for: .data).value
        #expect(loaded == Data("second".utf8) && calls.value == 2)
    }

    @Test("The bytes of streams are kept too", arguments: LoadPlace.allCases)
    func streams(place: LoadPlace) async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerByteStream(for: .data, policy: .onceAndKept) { writer in
            calls.increment()
            for index in 0..<100 { try await writer.write(Data(repeating: UInt8(index), count: 5_000)) }
        }
        try await place.with(provider) { provider in
            let first = try await provider.loadData(for: .data).value
            #expect(first.count == 500_000)
            let loaded = try await provider.loadData(for: .data).value
            #expect(loaded == first)
            #expect(calls.value == 1)
        }
    }

    @Test("Kept bytes outlive their source")
    func outlives() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let source = broker.connect()
            let publication = try await Pasteboard(name: .general, connection: source)
                .write([provider(.onceAndKept, calls: calls)])
            let board = broker.pasteboard()
            let item = try #require(try await board.contents().items.first)
            let bytes = try await item.itemProvider.loadData(for: .data).value
            await source.close()
            _ = try await publication.ended()
            let after = try #require(try await board.contents().items.first)
            #expect(after.representations.map(\.state) == [.kept])
            let loaded = try await after.itemProvider.loadData(for: .data).value
            #expect(loaded == bytes)
            #expect(calls.value == 1)
        }
    }
}
