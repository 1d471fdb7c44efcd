import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Streams whose events go to an object instead of a task.
@Suite(.pure) struct StreamSinkTests {
    /// Records the events, and opens a gate at the end.
    private final class Recorder: StreamSink {
        let end = Gate()
        private let recorded = Lock<[String]>([])

        var calls: [String] { recorded.withLock(\.self) }

        func handle(_ event: ClientEvent, in _: Span<UInt8>, of _: ReadMemory?, _: inout ClientState) -> Bool {
            recorded.withLock { $0.append(String("\(event)".prefix { $0 != "(" })) }
            return true
        }

        func failed(_ failure: Failure) { recorded.withLock { $0.append("failed") } }

        func deliver() {
            let calls = calls
            if calls.contains("failed") || calls.contains("ended") || calls.filter({ $0 == "data" }).count == 2 {
                end.open()
            }
        }
    }

    @Test(
        "A sink takes the events of its stream until the last bytes, the end or the failure, or until it is cancelled"
    )
    func ends() throws {
        try EngineHarness.run { peer in
            let loads = try (0..<4).map { _ in try peer.next(.load).stream }
            _ = try peer.next(.cancel)
            for load in loads { try peer.send(Answer(), stream: load) }
            try peer.sendData([1], stream: loads[0])
            try peer.sendData([1], stream: loads[1])
            try peer.sendData([1], stream: loads[1], last: true)
            try peer.send(End(), stream: loads[2])
            try peer.send(Failure(.timeout, "late"), stream: loads[3])
        } body: { connection async throws in
            let sinks = (0..<4).map { _ in Recorder() }
            for sink in sinks { connection.open(sink) { (state) throws(Failure) in try state.open(Load()) } }
            connection.cancel(sinks[0])
            for sink in sinks.dropFirst() { await sink.end.wait() }
            let ends = [[], ["answered", "data", "data"], ["answered", "ended"], ["answered", "failed"]]
            #expect(sinks.map(\.calls) == ends)
        }
    }

    @Test("A destination makes a sink for each of its sessions")
    func sessions() throws {
        try EngineHarness.run { peer in
            let destination = try peer.next(.destination).stream
            try peer.send(Registered(), stream: destination)
            var session = Session()
            session.destination = destination
            try peer.send(session, stream: 2)
            try peer.send(Exit(), stream: 2)
            try peer.send(End(), stream: 2)
        } body: { connection async throws in
            let sink = Recorder()
            var stream = connection.open(Destination()) { _, _ in sink }
            try await stream.registered()
            await sink.end.wait()
            #expect(sink.calls == ["left", "ended"])
        }
    }

    @Test("The loss of the connection fails all sinks")
    func loss() throws {
        try EngineHarness.run { peer in
            _ = try peer.next(.load)
            peer.close()
        } body: { connection async throws in
            let sink = Recorder()
            connection.open(sink) { (state) throws(Failure) in try state.open(Load()) }
            await sink.end.wait()
            #expect(sink.calls == ["failed"])
        }
    }
}
