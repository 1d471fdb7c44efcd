import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.inProcess)
struct CancellationTests {
    /// A handler that waits until it is cancelled.
    private struct WaitingHandler {
        let asked = Gate()
        let cancelled = Gate()

        func load() async -> Data {
            asked.open()
            return await withTaskCancellationHandler {
                await cancelled.wait()
                return Data("late".utf8)
            } onCancel: {
                cancelled.open()
            }
        }
    }

    enum Place: CaseIterable {
        case here
        case elsewhere
    }

    /// Runs a body with the provider as its own process or another one gets it.
    private func with(
        _ place: Place,
        _ provider: ItemProvider,
        _ body: (ItemProvider) async throws -> Void
    ) async throws {
        guard place == .elsewhere else { return try await body(provider) }
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            let publication = try await source.write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            try await body(item.itemProvider)
            withExtendedLifetime(publication) {}
        }
    }

    @Test("a load in a cancelled task calls no handler", arguments: Place.allCases)
    func before(place: Place) async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) {
            calls.increment()
            return Data()
        }
        try await with(place, provider) { provider in
            let gate = Gate()
            let whole = Task {
                await gate.wait()
                return try await provider.loadData(for: .data)
            }
            let chunks = Task {
                await gate.wait()
                return try await provider.loadBytes(for: .data)
            }
            whole.cancel()
            chunks.cancel()
            gate.open()
            let first = await #expect(throws: PasteboardError.self) { try await whole.value }
            let second = await #expect(throws: PasteboardError.self) { try await chunks.value }
            #expect(first?.code == .cancelled)
            #expect(second?.code == .cancelled)
            #expect(calls.value == 0)
        }
    }

    @Test("cancelling the task during a load ends the load, and the handler is notified", arguments: Place.allCases)
    func during(place: Place) async throws {
        let handler = WaitingHandler()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { await handler.load() }
        try await with(place, provider) { provider in
            let load = Task { try await provider.loadData(for: .data) }
            await handler.asked.wait()
            load.cancel()
            let error = await #expect(throws: PasteboardError.self) { try await load.value }
            #expect(error?.code == .cancelled)
            await handler.cancelled.wait()
        }
    }

    @Test("cancelling one load does not affect another load of the same representation", arguments: Place.allCases)
    func oneOfTwo(place: Place) async throws {
        let asked = Counter()
        let both = Gate()
        let go = Gate()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) {
            if asked.increment() == 2 { both.open() }
            await go.wait()
            return Data("whole".utf8)
        }
        try await with(place, provider) { provider in
            let first = Task { try await provider.loadData(for: .data).value }
            let second = Task { try await provider.loadData(for: .data).value }
            await both.wait()
            first.cancel()
            await #expect(throws: PasteboardError.self) { try await first.value }
            go.open()
            let data = try await second.value
            #expect(data == Data("whole".utf8))
        }
    }

    @Test("a load's progress cancels it once, and its completion is called once", arguments: Place.allCases)
    func byProgress(place: Place) async throws {
        let asked = Gate()
        let cancelled = Gate()
        let late = Lock<(@Sendable (Data?, (any Error)?) -> Void)?>(nil)
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { completion in
            late.withLock { $0 = completion }
            let progress = LoadProgress(totalUnitCount: 2)
            progress.cancellationHandler = { cancelled.open() }
            asked.open()
            return progress
        }
        try await with(place, provider) { provider in
            let completions = Counter()
            let progress = Lock<LoadProgress?>(nil)
            let error = await withCheckedContinuation { continuation in
                let load = provider.loadDataRepresentation(for: .data) { data, error in
                    completions.increment()
                    continuation.resume(returning: error as? PasteboardError)
                }
                progress.withLock { $0 = load }
                Task {
                    await asked.wait()
                    load.cancel()
                    load.cancel()
                }
            }
            #expect(error?.code == .cancelled)
            await cancelled.wait()
            late.withLock { $0 }?(Data("late".utf8), nil)
            progress.withLock { $0 }?.cancel()
            #expect(progress.withLock { $0 }?.isCancelled == true)
            #expect(completions.value == 1)
        }
    }

    @Test("if its progress is cancelled before it begins, a load ends at once", arguments: Place.allCases)
    func progressBefore(place: Place) async throws {
        let handler = WaitingHandler()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { await handler.load() }
        try await with(place, provider) { provider in
            let progress = LoadProgress()
            progress.cancel()
            for attempt in 0..<2 {
                let error = await #expect(throws: PasteboardError.self) {
                    if attempt == 0 {
                        _ = try await provider.loadData(for: .data, progress: progress)
                    } else {
                        _ = try await provider.loadBytes(for: .data, progress: progress)
                    }
                }
                #expect(error?.code == .cancelled)
            }
        }
    }

    @Test("cancelling after the end changes nothing", arguments: Place.allCases)
    func after(place: Place) async throws {
        try await with(place, .text("whole")) { provider in
            let progress = LoadProgress()
            let load = Task { try await provider.loadData(for: .text, progress: progress).value }
            let data = try await load.value
            #expect(data == Data("whole".utf8))
            load.cancel()
            progress.cancel()
            #expect(progress.isFinished)
            #expect(!progress.isCancelled)
        }
    }

    @Test(
        "loads that are cancelled at any moment end, and later loads get the right bytes",
        arguments: Seeds.fixed(1, 2)
    )
    func anyMoment(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let data = Data(repeating: 7, count: 300_000)
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { data }
        try await with(.elsewhere, provider) { provider in
            for _ in 0..<150 {
                let inChunks = Bool.random(using: &generator)
                let load = Task {
                    guard inChunks else { return try await provider.loadData(for: .data).value.count }
                    var count = 0
                    for try await chunk in try await provider.loadBytes(for: .data).value { count += chunk.count }
                    return count
                }
                for _ in 0..<Int.random(in: 0..<40, using: &generator) { await Task.yield() }
                load.cancel()
                switch await load.result {
                case .success(let count): #expect(count == data.count)
                case .failure(let error): #expect((error as? PasteboardError)?.code == .cancelled)
                }
            }
            let whole = try await provider.loadData(for: .data)
            #expect(whole.value == data)
        }
    }
}
