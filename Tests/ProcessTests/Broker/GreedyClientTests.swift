import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// One program that takes all that a broker gives it, while others need a little.
@Suite(.processes) struct GreedyClientTests {
    @Test("A program gets its share of the named pasteboards, and others are served")
    func boards() throws {
        try BrokerProcess.run { broker in
            let connection = try broker.connect()
            var representation = Representation()
            representation.type = "a.b"
            var refusal: Failure?
            for count in 0..<1_024 {
                var write = Write()
                write.board = "b\(count)"
                let items = [WriteItem(representations: [(representation: representation, source: .bytes([1]))])]
                do {
                    _ = try connection.write(write, items: items)
                } catch let error as Failure {
                    refusal = error
                    #expect(count == 385)
                    break
                }
            }
            #expect(refusal?.code == .limitExceeded)
            try broker.expectService()
        }
    }

    @Test(
        "A broker whose address space is limited lowers its pools, says so, and survives 505 half frames",
        .unsanitized
    )
    func halfFrames() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), after: "ulimit -v 40960")
        var strangers: [ScriptedPeer] = []
        for _ in 0..<505 {
            let stranger = ScriptedPeer(try broker.place.connect())
            var frames = FrameEncoder()
            frames.append(Hello(), stream: 0)
            frames.append(header: FrameHeader(.write, stream: 1, length: 61_440))
            // The broker may have ended the connection already.
            try? stranger.write(frames.bytes + [UInt8](repeating: 0, count: 60_000))
            strangers.append(stranger)
        }
        try broker.expectService()
        strangers = []
        try broker.expectService()
        let log = try broker.end().errorText
        #expect(log.contains("lowered limits to the memory that this process may use: metadata="), "\(log)")
    }
}
