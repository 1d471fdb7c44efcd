import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

@testable import PasteboardKit

@Suite(.inProcess)
struct DataLoadTests {
    /// A representation of another process, and the broker at the other end of its connection.
    private struct Pair {
        let connection: PasteboardConnection
        let representation: RemoteRepresentation
        let peer: ScriptedPeer

        init() async throws {
            let pair = try await PeerConnection()
            (connection, peer) = (pair.connection, pair.peer)
            representation = RemoteRepresentation(
                .image,
                of: ContentsName(handle: 1),
                item: 0,
                firstByteMilliseconds: nil,
                connection: connection,
                live: pair.live,
                window: nil
            )
        }

        func load() async throws -> Loaded<Data> {
            try await representation.loadData(LoadOptions(), progress: nil)
        }
    }

    @Test("Tasks whose loads end together load again, and each load gets the bytes of its own stream")
    func together() async throws {
        let pair = try await Pair()
        let (count, rounds) = (64, 20)
        let tasks = (0..<count).map { _ in
            Task {
                var streams: [UInt8] = []
                for _ in 0..<rounds { streams += try await pair.load().value }
                return streams
            }
        }
        // The requests are answered with one write, as soon as all tasks have made one.
        let streams = try await withTaskExecutorPreference(ThreadPool.files) {
            var all: [UInt64] = []
            for _ in 0..<rounds {
                var encoder = FrameMemory()
                for _ in 0..<count {
                    let stream = try pair.peer.next(.load).stream
                    encoder.append(Answer(), stream: stream)
                    encoder.appendData([UInt8(truncatingIfNeeded: stream)], stream: stream, flags: .last)
                    all.append(stream)
                }
                try pair.peer.write(encoder.bytes)
            }
            return all
        }
        var received: [UInt8] = []
        for task in tasks { received += try await task.value }
        #expect(received.sorted() == streams.map { UInt8(truncatingIfNeeded: $0) }.sorted())
        await pair.connection.close()
    }

    @Test("The type of the data is that of the answer, otherwise the requested one", arguments: [nil, "public.png"])
    func type(_ type: String?) async throws {
        let pair = try await Pair()
        let task = Task { try await pair.load() }
        try await withTaskExecutorPreference(ThreadPool.files) {
            let stream = try pair.peer.next(.load).stream
            var answer = Answer()
            answer.type = type
            try pair.peer.send(answer, stream: stream)
            try pair.peer.sendData([7], stream: stream, last: true)
        }
        let loaded = try await task.value
        #expect(loaded.value == Data([7]))
        #expect(loaded.type == (type == nil ? .image : .png))
        await pair.connection.close()
    }

    @Test("A load that is cancelled before its task runs makes no request")
    func cancelled() async throws {
        let pair = try await Pair()
        let gate = Gate()
        let cancelled = Task {
            await gate.wait()
            _ = try await pair.load()
        }
        cancelled.cancel()
        gate.open()
        let error = await #expect(throws: PasteboardError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
        let task = Task { try await pair.load() }
        let stream = try await withTaskExecutorPreference(ThreadPool.files) {
            let stream = try pair.peer.next(.load).stream
            try pair.peer.send(Answer(), stream: stream)
            try pair.peer.sendData([], stream: stream, last: true)
            return stream
        }
        _ = try await task.value
        #expect(stream == 1)
        await pair.connection.close()
    }
}
