import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Clients that a broker does not serve: silent ones, invalid ones, those of other users, and one too many.
@Suite(.processes) struct StrangerTests {
    @Test(
        "A client that is silent, or does not complete its hello, is disconnected at the hello deadline",
        .tags(.f01, .f02)
    )
    func silence() throws {
        try BrokerProcess.run(limits: ["hello=500ms"]) { broker in
            var hello = FrameMemory()
            hello.append(Hello(), stream: 0)
            for bytes in [[], [UInt8(1)], Array(hello.bytes.dropLast())] {
                let stranger = ScriptedPeer(try broker.place.connect())
                // Too late if this process was delayed.
                try? stranger.write(bytes)
                try Self.expectFarewell([.timeout], to: stranger)
            }
            // The limit also ends connections of this process whose hello was delayed.
            try eventually("a served client") { (try? broker.connect().status()) != nil }
        }
    }

    @Test(
        "A client that sends random bytes instead of a hello gets a protocol error, and is disconnected",
        .tags(.f03),
        arguments: Seeds.fixed(3)
    )
    func nonsense(seed: UInt64) throws {
        try BrokerProcess.run { broker in
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<100 {
                let stranger = ScriptedPeer(try broker.place.connect())
                var bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
                // A short length would announce a frame whose rest the broker waits for.
                bytes[3] |= 1
                try stranger.write(bytes)
                try Self.expectFarewell([.protocolViolation], to: stranger)
            }
            try broker.expectService()
        }
    }

    /// Expects an error for the connection, and its end.
    private static func expectFarewell(_ codes: [ErrorCode], to stranger: ScriptedPeer) throws {
        let frame = try stranger.next()
        #expect(frame.kind == .error && frame.stream == 0)
        #expect(codes.contains(try frame.decoded(as: Failure.self).code))
        #expect(throws: ScriptedPeerError.closed) { try stranger.next() }
    }

    @Test(
        "A broker with 64 descriptors refuses excess clients with an error, and serves again after others leave",
        .tags(.f51)
    )
    func fewDescriptors() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), after: "ulimit -n 64")
        let first = try broker.connect()
        _ = try first.welcome()
        var others = try (0..<100).map { _ in ScriptedPeer(try broker.place.connect()) }
        var served = 0
        for other in others {
            var hello = Hello()
            hello.minimumVersion = 1
            hello.maximumVersion = 1
            // A refused connection may be closed already.
            try? other.send(hello, stream: 0)
            let frame = try other.next()
            if frame.kind == .welcome {
                served += 1
            } else {
                #expect(try frame.decoded(as: Failure.self).code == .limitExceeded)
            }
        }
        #expect(served > 0 && served < 64)
        others = []
        while try first.status().count(where: { $0.peer != nil }) > 1 {}
        try broker.expectService()
        try broker.end()
    }
}
