import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// A socket that accepts no more bytes, or no descriptors.
@Suite(.pure) struct FailedWritingTests {
    /// A receiver that accepts no descriptors is the only refusal that also applies to root's sockets.
    private static let canRefuse: Bool = {
        guard let ends = try? Socket.pair() else { return false }
        return Socket.setPassesDescriptors(ends.second.raw, false)
    }()

    @Test("Kept bytes whose file the system does not pass are sent", .enabled(if: canRefuse))
    func keptBytes() throws {
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let file = try MemoryFile()
        try file.append(bytes.span)
        try file.seal()
        try EngineHarness.run(welcomes: false) { peer in
            _ = try peer.next(.hello)
            #expect(try peer.welcomeRefusingDescriptors())
            let stream = try peer.next(.write).stream
            _ = try peer.next(.item)
            var received: [UInt8] = []
            var frame = try peer.next(.data)
            while !frame.header.flags.contains(.last) {
                received += frame.payload
                frame = try peer.next(.data)
            }
            #expect(frame.header.descriptorCount == 0 && received + frame.payload == bytes)
            _ = try peer.next(.commit)
            try peer.send(Committed(), stream: stream)
        } body: { connection async throws in
            try await connection.begin()
            var representation = Representation()
            representation.type = "public.data"
            let item = WriteItem(representations: [(representation: representation, source: .memory(file))])
            _ = try await connection.keep([item], as: Write())
        }
    }

    @Test(
        "An answer whose file the system does not pass fails its ask, and the next is answered",
        .enabled(if: canRefuse)
    )
    func answer() throws {
        let pair = try Socket.pair()
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        var io = ConnectionIO(adopting: try System.duplicate(pair.first.raw), path: "/test/socket")
        #expect(try peer.welcomeRefusingDescriptors())
        var ask = Ask()
        ask.credit = 100
        ask.descriptorWelcome = true
        for stream in [2, 4] as [UInt64] { try peer.send(ask, stream: stream) }
        _ = try io.pump { _, _, _ in }
        let isPassed = io.pass(DescriptorBox(try System.open("/etc/passwd")), byteCount: 1, on: 2)
        let bytes: [UInt8] = [1]
        let sent = try io.send(bytes.span, on: 4, last: true)
        #expect(isPassed && sent == 1)
        try io.flush()
        let failed = try peer.next(.error)
        #expect(try failed.stream == 2 && failed.decoded(as: Failure.self).code == .limitExceeded)
        #expect(try peer.next().stream == 4)
        let isOver = io.cannotWrite
        #expect(!isOver)
    }

    @Test("A connection that cannot write is abandoned, but only after the received bytes are read")
    func givenUp() throws {
        let pair = try Socket.pair()
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        var io = ConnectionIO(adopting: try System.duplicate(pair.first.raw), path: "/test/socket")
        try peer.welcome()
        peer.stopReading()
        // Another thread's turn may notice the failure; nothing is awaited then.
        try io.flush()
        let (isOver, nextCheck) = (io.cannotWrite, io.nextCheck)
        #expect(isOver && nextCheck == 0)
        var events = 0
        var failure: Failure?
        do throws(Failure) {
            while true { _ = try io.pump { _, _, _ in events += 1 } }
        } catch {
            failure = error
        }
        #expect(events == 1 && failure?.code == .brokerRestarted)
        do throws(Failure) {
            failure = nil
            try io.check()
        } catch {
            failure = error
        }
        #expect(failure?.code == .brokerRestarted)
    }
}
