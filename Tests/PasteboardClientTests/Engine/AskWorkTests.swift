import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Asks for contents of this program, and the slots of their answers.
@Suite(.pure) struct AskWorkTests {
    private final class Answer: AskWork {
        let stream: StreamReference
        let isCancelled = Gate()
        private let isStarted: Gate

        init(_ stream: StreamReference, starting isStarted: Gate) {
            self.stream = stream
            self.isStarted = isStarted
        }

        func start() { isStarted.open() }

        func cancel() { isCancelled.open() }
    }

    /// The answers in the order of their asks.
    private final class Answers: Sendable {
        /// Opened by the starts of answers.
        let (first, second) = (Gate(), Gate())
        private let answers = Lock<[Answer]>([])

        var all: [Answer] { answers.withLock(\.self) }

        var answerer: Answerer {
            { [self] _, stream in
                answers.withLock { answers in
                    answers.append(Answer(stream, starting: answers.isEmpty ? first : second))
                    return answers.last
                }
            }
        }
    }

    private static func ask(_ number: UInt32, from peer: ScriptedPeer) throws {
        var ask = Ask()
        (ask.handle, ask.type, ask.credit) = (7, "public.text", 100)
        try peer.send(ask, stream: StreamID(askSlot: number, generation: 1).rawValue)
    }

    /// Runs `body` with contents, as handle 7, for which the broker has asked once.
    private static func asked(
        script: @escaping @Sendable (ScriptedPeer, _ write: UInt64) throws -> Void,
        body: @escaping @Sendable (BrokerConnection, Answers, consuming Publication) async throws -> Void
    ) throws {
        try EngineHarness.run(
            script: { peer in
                let write = try peer.next(.write).stream
                _ = try peer.next(.commit)
                var committed = Committed()
                committed.handle = 7
                try peer.send(committed, stream: write)
                try ask(0, from: peer)
                try script(peer, write)
            },
            body: { connection async throws in
                let answers = Answers()
                let publication = try await connection.write(Write(), [], answering: answers.answerer)
                await answers.first.wait()
                try await body(connection, answers, publication)
            }
        )
    }

    @Test("Contents that have ended are asked for while another ask is open, and then no more")
    func lastPublication() throws {
        try Self.asked { peer, write in
            try peer.send(End(), stream: write)
            try Self.ask(1, from: peer)
            #expect(try peer.next(.data).payload == [1])
            try peer.send(Cancel(), stream: StreamID(askSlot: 1, generation: 1).rawValue)
            _ = try peer.next(.list)
            try Self.ask(2, from: peer)
            #expect(try peer.next(.error).decoded(as: Failure.self).code == .sourceGone)
            peer.close()
        } body: { connection, answers, publication in
            var contents = publication
            while try await contents.ended() == nil {}
            _ = consume contents
            await answers.second.wait()
            let all = answers.all
            let bytes: OutgoingBytes = { $0([1].span) }
            all[0].stream.answer(bytes, count: 1) { _ in Issue.record("there is room") }
            await all[1].isCancelled.wait()
            await connection.answersEnded(of: 7, until: .max)
            _ = try? await connection.listing(settles: false)
            #expect(!all[0].isCancelled.isOpen && answers.all.count == 2)
        }
    }

    @Test("A wait for answers ends at its time, also if that is over before the wait begins")
    func late() throws {
        try Self.asked { peer, _ in
            _ = try peer.next(.list)
            peer.close()
        } body: { connection, answers, _ in
            await connection.answersEnded(of: 7, until: 0)
            #expect(!answers.all[0].isCancelled.isOpen)
            _ = try? await connection.listing(settles: false)
        }
    }

    @Test("After a loss, a slot has one use at a time, also one of contents that ended before with an open answer")
    func slotsAfterLoss() throws {
        try Self.asked { peer, write in
            try peer.send(End(), stream: write)
            peer.close()
        } body: { connection, _, _ in
            await connection.ended()
            let slots = connection.core.withLock { core in (0..<4).map { _ in core.place() } }
            #expect(Set(slots).count == 4)
        }
    }

    @Test("The loss of the connection cancels all answers, and ends all waits for them")
    func loss() throws {
        try Self.asked { peer, _ in
            _ = try peer.next(.list)
            peer.close()
        } body: { connection, answers, _ in
            _ = try? await connection.listing(settles: false)
            await answers.all[0].isCancelled.wait()
            await connection.answersEnded(of: 7, until: .max)
        }
    }
}
