import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Uses of a connection from deinitializers, handlers and callbacks, where locks or limits could block it.
@Suite(.inProcess)
struct CallbackSafetyTests {
    /// Ends loads of a connection in its deinitializer.
    private final class Ender: Sendable {
        private let loads: Lock<[LoadProgress]>
        private let ended: Gate

        init(_ loads: [LoadProgress], _ ended: Gate) {
            self.loads = Lock(loads)
            self.ended = ended
        }

        deinit {
            for load in loads.withLock({ $0 }) { load.cancel() }
            ended.open()
        }
    }

    @Test("Values that a handler has captured may use the connection in their deinitializers at any time")
    func captured() async throws {
        try await TestBroker.with { broker in
            let (asked, answer, ended) = (Gate(), Gate(), Gate())
            let source = broker.pasteboard()
            let slow = ItemProvider()
            slow.registerDataRepresentation(for: .png) {
                await Gate().wait()
                return Data()
            }
            let other = try await broker.pasteboard("other").write([slow])
            let board = Pasteboard(name: "other", connection: source.connection)
            let item = try #require(try await board.contents().items.first)
            // A load in progress over the source's own connection.
            let progress = LoadProgress()
            let load = Task { try await item.itemProvider.loadData(for: .png, progress: progress) }

            func publish() async throws {
                let ender = Ender([progress], ended)
                let provider = ItemProvider()
                provider.registerDataRepresentation(for: .jpeg) {
                    withExtendedLifetime(ender) {}
                    asked.open()
                    await answer.wait()
                    return Data([1])
                }
                try await source.write([provider])
            }
            try await publish()
            let jpeg = try #require(try await broker.pasteboard().contents().items.first)
            let whole = Task { try await jpeg.itemProvider.loadData(for: .jpeg) }
            await asked.wait()
            // The contents are replaced during the load, so the end of the load also releases what its handler has
            // captured.
            try await broker.pasteboard().clear()
            answer.open()
            let bytes = try await whole.value
            #expect(bytes == Data([1]))
            await ended.wait()
            await expectError(.cancelled) { try await load.value }
            withExtendedLifetime(other) {}
        }
    }

    @Test("A timeout includes the time that a load waits for its turn")
    func queuedTimeout() async throws {
        try await TestBroker.with(limits: ["loads-per-connection": "2"]) { broker in
            let provider = ItemProvider()
            provider.registerByteStream(for: .data) { writer in
                while true { try await writer.write(Data(repeating: 1, count: 65_536)) }
            }
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            // Two loads whose bytes nothing reads.
            let first = try await item.itemProvider.loadBytes(for: .data)
            let second = try await item.itemProvider.loadBytes(for: .data)
            for _ in 0..<2 {
                await expectError(.timeout) {
                    try await item.itemProvider.loadData(for: .data, options: LoadOptions(timeout: .milliseconds(50)))
                }
            }
            await expectError(.timeout) {
                try await item.itemProvider.loadBytes(for: .data, options: LoadOptions(timeout: .milliseconds(50)))
            }
            withExtendedLifetime((first, second, publication)) {}
        }
    }

    /// Ends a load in its deinitializer, and is released by the end of that load.
    private final class Row: Sendable {
        let progress = LoadProgress()

        deinit {
            progress.cancel()
        }
    }

    @Test(
        "Values that a cancellation handler has captured may use the progress in their deinitializers",
        arguments: LoadPlace.allCases
    )
    func rows(place: LoadPlace) async throws {
        try await place.with(ItemProvider.text("a")) { provider in
            func load() async throws {
                let row = Row()
                row.progress.cancellationHandler = { [row] in withExtendedLifetime(row) {} }
                let loaded = try await provider.loadData(for: .plainText, progress: row.progress)
                #expect(loaded == Data("a".utf8))
            }
            try await load()
        }
        let progress = LoadProgress()
        progress.cancellationHandler = { [row = Row()] in withExtendedLifetime(row) {} }
        progress.cancellationHandler = nil
    }

    @Test("Every byte stream writer that was started ends, however early its load is cancelled")
    func cancelledWriters() async throws {
        let (started, ended) = (Counter(), Counter())
        let provider = ItemProvider()
        provider.registerByteStream(for: .data) { writer in
            started.increment()
            defer { ended.increment() }
            while true { try await writer.write(Data(count: 65_536)) }
        }
        for _ in 0..<300 {
            let load = Task { try await provider.loadData(for: .data) }
            load.cancel()
            _ = try? await load.value
        }
        try await eventually("the end of each started handler") { ended.value >= started.value }
    }

    @Test("200 handlers that each wait for a nested load all end", .tags(.f49))
    func nested() async throws {
        let (inner, outer) = (ItemProvider.text("inner"), ItemProvider())
        outer.registerDataRepresentation(for: .plainText) { completion in
            let done = Semaphore()
            inner.loadDataRepresentation(for: .plainText) { data, error in
                completion(data, error)
                done.signal()
            }
            done.wait()
            return nil
        }
        let results = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<200 { group.addTask { try await outer.loadData(for: .plainText) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(results == [Data("inner".utf8)])
    }
}
