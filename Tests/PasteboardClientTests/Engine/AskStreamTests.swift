import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Asks of a broker for promised bytes, and the code of the program that answers them.
@Suite(.pure) struct AskStreamTests {
    private static func ask(_ number: UInt32) -> UInt64 { StreamID(askSlot: number, generation: 1).rawValue }

    /// The write of one promise, which the broker commits.
    private static func publish(_ peer: ScriptedPeer) throws -> UInt64 {
        let stream = try peer.next(.write).stream
        _ = try peer.next(.commit)
        var committed = Committed()
        committed.handle = 5
        try peer.send(committed, stream: stream)
        return stream
    }

    private static func send(_ numbers: [UInt32], to peer: ScriptedPeer, credit: UInt64 = 100) throws {
        for number in numbers {
            var ask = Ask()
            (ask.handle, ask.type, ask.item, ask.credit) = (5, "public.text", number, credit)
            try peer.send(ask, stream: Self.ask(number))
        }
    }

    /// Writes a promise, and answers its asks until the contents have ended.
    private static func serve(
        at connection: BrokerConnection,
        _ handler: @escaping AskStream.Handler
    ) async throws -> EndReason {
        var promise = Representation()
        promise.type = "public.text"
        let items = [WriteItem(representations: [(promise, .promised)])]
        var publication = try await connection.write(Write(), items, answering: AskStream.answerer(handler))
        while true {
            guard let reason = try await publication.ended() else { continue }
            await connection.answersEnded(of: publication.committed.handle, until: .max)
            return reason
        }
    }

    @Test("The end of an ask cancels its own handler only, and a handler that fails fails its load")
    func cancelled() throws {
        try EngineHarness.run { peer in
            let write = try Self.publish(peer)
            try Self.send([0, 1, 2], to: peer)
            let failed = try peer.next(.error)
            #expect(try failed.stream == Self.ask(2) && failed.decoded(as: Failure.self).text == "mine")
            try peer.send(Cancel(), stream: Self.ask(0))
            // It is answered after the first has ended.
            let answer = try peer.next(.data)
            #expect(answer.stream == Self.ask(1) && answer.payload == [1] && answer.header.flags == .last)
            try peer.send(End(), stream: write)
        } body: { connection async throws in
            let isFirstOver = Gate()
            let loop = connection.loop
            let reason = try await Self.serve(at: connection) { ask in
                switch ask.item {
                case 0:
                    _ = await loop.first(of: [])
                    #expect(Task.isCancelled && ask.isOver)
                    isFirstOver.open()
                    throw Failure(.cancelled, "ended")
                case 1:
                    await isFirstOver.wait()
                    #expect(!Task.isCancelled)
                    try await ask.send([1], isLast: true)
                default: throw Failure(.sourceFailed, "mine")
                }
            }
            #expect(reason == .replaced)
        }
    }

    @Test(
        "An ask gets bytes within its credit, also one that arrives after the end of the contents; later ones are refused"
    )
    func credit() throws {
        try EngineHarness.run { peer in
            let write = try Self.publish(peer)
            try Self.send([0], to: peer, credit: 2)
            #expect(try peer.next(.data).payload == [1, 2])
            var credit = Credit()
            credit.offset = 10
            try peer.send(credit, stream: Self.ask(0))
            let rest = try peer.next(.data)
            #expect(rest.payload == [3] && rest.header.flags == .last)
            // The broker has held the second one back while the first is answered.
            try Self.send([1], to: peer, credit: 2)
            #expect(try peer.next(.data).payload == [1, 2])
            try peer.send(End(), stream: write)
            try Self.send([2], to: peer)
            #expect(try peer.next(.data).payload == [1, 2, 3])
            try peer.send(credit, stream: Self.ask(1))
            #expect(try peer.next(.data).payload == [3])
            _ = try peer.next(.list)
            try Self.send([3], to: peer)
            let refused = try peer.next(.error)
            #expect(try refused.stream == Self.ask(3) && refused.decoded(as: Failure.self).code == .sourceGone)
            peer.close()
        } body: { connection async throws in
            _ = try await Self.serve(at: connection) { try await $0.send([1, 2, 3], isLast: true) }
            _ = try? await connection.listing(settles: false)
        }
    }

    @Test("A handler that ignores its cancellation delays neither the end of the contents nor that of the connection")
    func stubborn() throws {
        let isReleased = Gate()
        try EngineHarness.run { peer in
            _ = try Self.publish(peer)
            try Self.send([0], to: peer)
            try peer.send(Cancel(), stream: Self.ask(0))
            try Self.send([1], to: peer)
            _ = try peer.next(.data)
            peer.close()
        } body: { connection async throws in
            let error = await #expect(throws: RequestFailure.self) {
                try await Self.serve(at: connection) { ask in
                    if ask.item == 0 { await isReleased.wait() }
                    try await ask.send([1], isLast: true)
                }
            }
            #expect(error?.loss == .crashed)
            isReleased.open()
        }
    }

    @Test("The loss of the connection goes before the error of the code that it has cancelled")
    func lossFirst() throws {
        try EngineHarness.run { peer in
            _ = try peer.next(.list)
            peer.close()
        } body: { connection async throws in
            let loop = connection.loop
            let listing = Task(executorPreference: loop) { try await connection.listing(settles: false) }
            let error = await #expect(throws: RequestFailure.self) {
                _ = try await connection.performing(until: .max, on: loop) {
                    _ = await loop.first(of: [])
                    throw Failure(.cancelled, "the code was cancelled")
                }
            }
            #expect(error?.loss == .crashed)
            _ = try? await listing.value
        }
    }

    @Test("Code that does not end in time is abandoned")
    func late() throws {
        let isReleased = Gate()
        try EngineHarness.run { peer in
            _ = try peer.next(.list)
        } body: { connection async throws in
            let error = await #expect(throws: RequestFailure.self) {
                _ = try await connection.performing(until: 0, on: connection.loop) {
                    await isReleased.wait()
                    return MadeBytes([1])
                }
            }
            #expect(error?.failure.code == .timeout)
            isReleased.open()
        }
    }
}
