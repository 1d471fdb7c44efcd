import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Streams whose events go to an object instead of a task.
@Suite(.pure) struct StreamSinkTests {
    /// Records the events, and opens a gate at the end.
    private final class Recorder: StreamSink {
        let isPublication: Bool
        /// Opened by the commit of a publication, and by the arrival of a session.
        let begin = Gate()
        let end = Gate()
        /// Opened by the starts of answers.
        let (first, second) = (Gate(), Gate())
        private let state = Lock(State())

        private struct State {
            var calls: [String] = []
            var answers: [Answerer] = []
            var session: Recorder?
        }

        init(publishes: Bool = false) { isPublication = publishes }

        var calls: [String] { state.withLock { $0.calls } }
        var answers: [Answerer] { state.withLock { $0.answers } }
        var session: Recorder? { state.withLock { $0.session } }

        func handle(_ event: ClientEvent, in _: Span<UInt8>, of _: ReadMemory?, _: inout ClientState) -> Bool {
            state.withLock { $0.calls.append(String("\(event)".prefix { $0 != "(" })) }
            return true
        }

        func failed(_ failure: Failure) { state.withLock { $0.calls.append("failed") } }

        func deliver() {
            let calls = calls
            if calls.contains("committed") { begin.open() }
            if calls.contains("failed") || calls.contains("ended") || calls.filter({ $0 == "data" }).count == 2 {
                end.open()
            }
        }

        func asked(_ ask: AskFields, on stream: StreamReference) -> (any AskWork)? {
            state.withLock { state in
                let answer = Answerer(stream, starting: state.answers.isEmpty ? first : second)
                state.answers.append(answer)
                return answer
            }
        }

        func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? {
            let arrived = Recorder()
            state.withLock { $0.session = arrived }
            begin.open()
            return arrived
        }
    }

    private final class Answerer: AskWork {
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

    @Test(
        "A sink takes the events of its stream until the last bytes, the end or the failure, or until it is cancelled"
    )
    func ends() throws {
        try EngineHarness.run(
            script: { peer in
                let loads = try (0..<4).map { _ in try peer.next(.load).stream }
                _ = try peer.next(.cancel)
                for load in loads { try peer.send(Answer(), stream: load) }
                try peer.sendData([1], stream: loads[0])
                try peer.sendData([1], stream: loads[1])
                try peer.sendData([1], stream: loads[1], last: true)
                try peer.send(End(), stream: loads[2])
                try peer.send(Failure(.timeout, "late"), stream: loads[3])
            },
            body: { connection async throws in
                let sinks = (0..<4).map { _ in Recorder() }
                for sink in sinks { connection.open(sink) { (state) throws(Failure) in try state.open(Load()) } }
                connection.cancel(sinks[0])
                for sink in sinks.dropFirst() { await sink.end.wait() }
                let ends = [[], ["answered", "data", "data"], ["answered", "ended"], ["answered", "failed"]]
                #expect(sinks.map(\.calls) == ends)
            }
        )
    }

    @Test("The sink of a destination names a sink for each of its sessions")
    func sessions() throws {
        try EngineHarness.run(
            script: { peer in
                let destination = try peer.next(.destination).stream
                try peer.send(Registered(), stream: destination)
                var session = Session()
                session.destination = destination
                try peer.send(session, stream: 2)
                try peer.send(Exit(), stream: 2)
                try peer.send(End(), stream: 2)
            },
            body: { connection async throws in
                let sink = Recorder()
                connection.open(sink) { (state) throws(Failure) in try state.open(Destination()) }
                await sink.begin.wait()
                await sink.session?.end.wait()
                #expect(sink.calls == ["registered"] && sink.session?.calls == ["left", "ended"])
            }
        )
    }

    /// Publishes as handle 7.
    private static func publish(_ peer: ScriptedPeer) throws -> UInt64 {
        let write = try peer.next(.write).stream
        _ = try peer.next(.commit)
        var committed = Committed()
        committed.handle = 7
        try peer.send(committed, stream: write)
        return write
    }

    private static func ask(_ number: UInt32, from peer: ScriptedPeer) throws {
        var ask = Ask()
        (ask.handle, ask.type, ask.credit) = (7, "public.text", 100)
        try peer.send(ask, stream: StreamID(askSlot: number, generation: 1).rawValue)
    }

    /// Runs `body` with contents for which the broker has asked once.
    private static func asked(
        script: @escaping @Sendable (ScriptedPeer, _ write: UInt64) throws -> Void,
        body: @escaping @Sendable (BrokerConnection, Recorder) async throws -> Void
    ) throws {
        try EngineHarness.run(
            script: { peer in
                let write = try publish(peer)
                try ask(0, from: peer)
                try script(peer, write)
            },
            body: { connection async throws in
                let sink = Recorder(publishes: true)
                await publish(sink, at: connection)
                await sink.first.wait()
                try await body(connection, sink)
            }
        )
    }

    private static func publish(_ sink: Recorder, at connection: BrokerConnection) async {
        connection.open(sink) { (state) throws(Failure) in
            let stream = try state.open(Write())
            state.commit(stream, itemCount: 0)
            return stream
        }
        await sink.begin.wait()
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
        } body: { connection, sink in
            await sink.end.wait()
            await sink.second.wait()
            let answers = sink.answers
            let bytes: OutgoingBytes = { $0([1].span) }
            answers[0].stream.answer(bytes, count: 1) { _ in Issue.record("there is room") }
            await answers[1].isCancelled.wait()
            await connection.answersEnded(of: sink, until: .max)
            _ = try? await connection.listing(settles: false)
            #expect(!answers[0].isCancelled.isOpen && sink.answers.count == 2)
        }
    }

    @Test("A wait for answers ends at its time, also if that is over before the wait begins")
    func answersLate() throws {
        try Self.asked { peer, _ in
            _ = try peer.next(.list)
            peer.close()
        } body: { connection, sink in
            await connection.answersEnded(of: sink, until: 0)
            #expect(!sink.answers[0].isCancelled.isOpen)
            _ = try? await connection.listing(settles: false)
        }
    }

    @Test("After a loss, a slot has one use at a time, also one of contents that ended before with an open answer")
    func slotsAfterLoss() throws {
        try Self.asked { peer, write in
            try peer.send(End(), stream: write)
            peer.close()
        } body: { connection, _ in
            await connection.ended()
            let slots = connection.core.withLock { core in (0..<4).map { _ in core.place() } }
            #expect(Set(slots).count == 4)
        }
    }

    @Test("The loss of the connection fails all sinks, cancels all answers and ends all waits")
    func loss() throws {
        try Self.asked { peer, _ in
            _ = try peer.next(.list)
            peer.close()
        } body: { connection, sink in
            _ = try? await connection.listing(settles: false)
            await sink.end.wait()
            await sink.answers[0].isCancelled.wait()
            await connection.answersEnded(of: sink, until: .max)
            #expect(sink.calls == ["committed", "failed"])
        }
    }
}
