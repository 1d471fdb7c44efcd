import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess)
struct PublicationTests {
    @Test("a publication that is withdrawn clears its pasteboard once, and ends as withdrawn")
    func withdrawing() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([.text("a")])
            #expect(publication.isCurrent)
            try await publication.withdraw()
            #expect(!publication.isCurrent)
            #expect(try await publication.outcome() == .withdrawn)
            let contents = try await broker.pasteboard().contents()
            #expect(contents.items.isEmpty)
            try await publication.withdraw()
            #expect(try await broker.pasteboard().contents().changeCount == contents.changeCount)
            // Also if the program has cleared the pasteboard in another way, which has returned just now.
            let own = broker.pasteboard()
            let earlier = try await own.write([.text("a")])
            try await own.clear()
            #expect(!earlier.isCurrent)
            // The clear of another program ends the publication as cleared.
            let other = try await broker.pasteboard().write([.text("b")])
            try await broker.pasteboard().clear()
            #expect(try await other.outcome() == .cleared)
            try await other.withdraw()
            #expect(try await other.outcome() == .cleared)
        }
    }

    @Test("a withdrawal over a closed connection has no effect, because the promises ended with the connection")
    func connectionGone() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let publication = try await pasteboard.write([.text("a")])
            await pasteboard.connection.close()
            try await publication.withdraw()
            #expect(try await publication.outcome() == .brokerGone)
            #expect(await publication.run() == .brokerGone)
        }
    }

    @Test("a cancelled withdrawal does not end the publication, and a later end is not reported as a withdrawal")
    func cancelledWithdrawal() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([.text("a")])
            let withdrawal = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await publication.withdraw()
            }
            let error = await #expect(throws: PasteboardError.self) { try await withdrawal.value }
            #expect(error?.code == .cancelled && publication.isCurrent)
            try await broker.pasteboard().clear()
            #expect(try await publication.outcome() == .cleared)
        }
    }

    @Test("in a cancelled task, run does not wait without limit for a destination that does not read")
    func cancelledWhileStalled() async throws {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerByteStream(for: .data) { writer in
                while true { try await writer.write(Data(repeating: 7, count: 1 << 20)) }
            }
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let load = try await item.loadBytes(for: .data)
            let run = Task { await publication.run(drainTimeout: .zero) }
            run.cancel()
            #expect(await run.value == .withdrawn)
            withExtendedLifetime(load) {}
        }
    }

    @Test("the method run returns when the publication and its loads have ended", arguments: [false, true])
    func running(isCancelled: Bool) async throws {
        try await TestBroker.with { broker in
            let (asked, goOn) = (Gate(), Gate())
            let provider = ItemProvider()
            // More bytes than a socket buffer holds.
            let bytes = Data(repeating: 7, count: 4 << 20)
            provider.registerByteStream(for: .data) { writer in
                asked.open()
                await goOn.wait()
                try await writer.write(bytes)
            }
            let publication = try await broker.pasteboard().write([provider])
            let isOver = Gate()
            let run = Task {
                let end = await publication.run()
                isOver.open()
                return end
            }
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let load = Task { try await item.loadData(for: .data) }
            await asked.wait()
            if isCancelled { run.cancel() } else { try await broker.pasteboard().clear() }
            #expect(try await publication.outcome() == (isCancelled ? .withdrawn : .cleared))
            #expect(try await broker.pasteboard().contents().items.isEmpty)
            #expect(!isOver.isOpen)
            goOn.open()
            #expect(try await load.value == bytes)
            #expect(await run.value == (isCancelled ? .withdrawn : .cleared))
        }
    }

    @Test("A withdrawal with a drain time waits until the loads have ended, and no longer than that time")
    func draining() async throws {
        try await TestBroker.with { broker in
            let (asked, goOn, made) = (Gate(), Gate(), Gate())
            let provider = ItemProvider.making(.data) {
                asked.open()
                await goOn.wait()
                made.open()
                return Data("bytes".utf8)
            }
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let load = Task { try await item.loadData(for: .data) }
            await asked.wait()
            try await publication.withdraw(drainTimeout: .milliseconds(1))
            // Ownership is lost already, so a withdrawal that does not wait returns before the handler goes on.
            Task { goOn.open() }
            try await publication.withdraw(drainTimeout: .seconds(600))
            #expect(made.isOpen)
            #expect(try await load.value == Data("bytes".utf8))
        }
    }

    @Test("in a cancelled task, run withdraws the publication at once, also with the longest drain time")
    func cancelledBefore() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([.text("a")])
            let run = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await publication.run(drainTimeout: .seconds(Int64.max))
            }
            #expect(await run.value == .withdrawn)
            #expect(try await broker.pasteboard().contents().items.isEmpty)
        }
    }
}
